import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { eventClient, verified, willing } from '../support/mcp-events.ts';
import { sweep } from '../support/sweeps.ts';
import { until } from '../support/until.ts';
import { type Received, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { happen, loopback, numbered, refusal, unlimited } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): how many subscriptions there may be, and how one ends. */
const test = suite('mcp events: the ends of subscriptions');
let tandem: TestService;
let receiver: Receiver;
let client: ReturnType<typeof eventClient>;

test.before(async () => {
  [tandem, receiver] = await Promise.all([startTestService(loopback, unlimited), startReceiver()]);
  client = eventClient(tandem);
});
test.after(async () => {
  await Promise.all([tandem.close(), receiver.close()]);
});

const name = 'todo.created';

test('a workspace has at most 100 subscriptions: -32025; those that have ended make room', async () => {
  const { key, workspaceId, params } = await client.subscribed(receiver);
  const copy = `insert into webhook_endpoints (workspace_id, id, user_id, credential_id, url, types, enabled, ordered, secret,
      sequence, subscription, expires_at)
    select workspace_id, gen_random_uuid(), user_id, credential_id, url, types, true, false, secret, sequence, '{}',
      expires_at from webhook_endpoints, generate_series(1, 99) where workspace_id = $1`;
  await tandem.db.rows(copy, [workspaceId]);
  const next = { ...params, name: 'todo.completed' };
  const { code, data } = await client.errorOf(key, 'events/subscribe', next);
  assert.equal([code, data], [-32025, { limit: 'subscriptions', max: 100 }]);
  assert.ok((await client.ask(key, 'events/subscribe', params)).id, 'a refresh is no new one');
  const end = `update webhook_endpoints set expires_at = now() where workspace_id = $1 and subscription = '{}'`;
  await tandem.db.rows(end, [workspaceId]);
  assert.ok((await client.ask(key, 'events/subscribe', next)).id);
  const current = 'select id from webhook_endpoints where workspace_id = $1 and expires_at > now()';
  assert.is((await tandem.db.rows(current, [workspaceId])).length, 1);
});

test('what was unsubscribed gets no more', async () => {
  const { key, workspaceId, params, at } = await client.subscribed(receiver);
  const sentinel = await client.subscribed(receiver);
  await client.ask(key, 'events/unsubscribe', { name, delivery: { url: params.delivery.url } });
  await happen(tandem, workspaceId, 1);
  await happen(tandem, sentinel.workspaceId, 1);
  await sentinel.got(1);
  await numbered(tandem, workspaceId);
  assert.equal([at(), await client.deliveries(workspaceId)], [[], []]);
});

test('what is subscribed again after it ended begins anew: where it asks to, and with nothing that waited', async () => {
  const { key, workspaceId, path, params, subscription, got, at } = await client.subscribed(receiver);
  const { cursor, id } = subscription;
  const [delivered] = await happen(tandem, workspaceId, 1);
  await got(1);
  receiver.answer(path, refusal(500));
  const [waiting] = await happen(tandem, workspaceId, 1);
  await got(2);
  await client.tried(workspaceId, 2);
  const end = { name, delivery: { url: params.delivery.url } };
  await client.ask(key, 'events/unsubscribe', end);
  receiver.answer(path, willing());
  const anew = await client.ask(key, 'events/subscribe', params);
  assert.equal([anew.id, anew.deliveryStatus], [id, undefined]);
  const [later] = await happen(tandem, workspaceId, 1);
  const events = () => at().filter(({ event }) => event.type !== 'verification');
  await until(() => events().length === 3);
  await client.ask(key, 'events/unsubscribe', end);
  assert.is((await client.ask(key, 'events/subscribe', { ...params, cursor })).id, id);
  await until(() => events().length === 6);
  const ids = events().map(({ event }) => event.data.id);
  assert.equal(ids.slice(0, 3), [delivered, waiting, later]);
  assert.equal(new Set(ids.slice(3)), new Set([delivered, waiting, later]));
});

test('what was not refreshed in time ends without a word', async () => {
  const { workspaceId, path, got, gone, at } = await client.subscribed(receiver);
  const expire = `update webhook_endpoints set expires_at = now() where workspace_id = $1`;
  receiver.answer(path, refusal(500));
  await happen(tandem, workspaceId, 1);
  await got(1);
  await client.tried(workspaceId, 1);
  await tandem.db.rows(expire, [workspaceId]);
  await client.makeDue(workspaceId);
  await gone();
  assert.is(at().length, 1, 'neither the retry nor an envelope');
});

const ends: [what: string, holder: 'key' | 'app', end: string][] = [
  ['its key is revoked', 'key', `update credentials set revoked_at = now() where workspace_id = $1`],
  ['its person is removed', 'key', `update members set removed_at = now() where workspace_id = $1`],
  ['the consent of its app is revoked', 'app', `update connected_apps set revoked_at = now() where workspace_id = $1`],
  ['the consent of its app expires', 'app', `update connected_apps set expires_at = now() where workspace_id = $1`],
];
for (const [what, holder, end] of ends) {
  test(`once ${what}, terminated is the last that is sent`, async () => {
    const workspace = await tandem.workspace();
    const { token } = await newGrant(tandem, workspace, ['todos:read']);
    const credential = holder === 'app' ? await token() : await workspace.mint(['todos:read']);
    const { workspaceId, secret, subscription, got, gone, at } = await client.subscribed(receiver, {
      workspace,
      key: credential,
    });
    await happen(tandem, workspaceId, 1);
    await got(1);
    await tandem.db.rows(end, [workspaceId]);
    await happen(tandem, workspaceId, 2);
    const [, last] = (await got(2)) as [Received, Received];
    const error = { code: -32024, message: 'Forbidden', data: { reason: 'Access revoked' } };
    assert.equal(last.event, { type: 'terminated', error });
    assert.ok(verified(secret, last));
    assert.match(String(last.headers['webhook-id']), /^msg_terminated_[0-9a-f]{24}$/);
    assert.is(last.headers['x-mcp-subscription-id'], subscription.id);
    await gone();
    assert.is(at().length, 2);
  });
}

test('the subscriptions of a member who is removed end at once, with terminated, and make room', async () => {
  const workspace = await tandem.workspace();
  const [userId, owner] = [await workspace.member(), await workspace.session()];
  const { token } = await openSession(tandem.db, { workspaceId: workspace.workspaceId, userId, client: 'test' });
  const made = await tandem.call(
    'POST /api-keys',
    { workspaceId: workspace.workspaceId, name: 'Events', scopes: ['todos:read'] },
    { key: token },
  );
  const { got, gone } = await client.subscribed(receiver, { workspace, key: made.body.secret });
  const removal = `DELETE /workspaces/${workspace.workspaceId}/members/${userId}`;
  assert.is((await tandem.call(removal, undefined, { key: owner })).status, 200);
  const [last] = (await got(1)) as [Received];
  assert.is(last.event.type, 'terminated');
  await gone();
});

test('a subscription of an app outlives its access token', async () => {
  const workspace = await tandem.workspace();
  const { token } = await newGrant(tandem, workspace, ['todos:read']);
  const { workspaceId, got } = await client.subscribed(receiver, { workspace, key: await token() });
  await tandem.db.rows(`update credentials set expires_at = now() where kind = 'oauth' and workspace_id = $1`, [
    workspaceId,
  ]);
  const [id] = await happen(tandem, workspaceId, 1);
  assert.is(((await got(1)) as [Received])[0].event.data.id, id);
});

test('the sweep removes what ended long ago', async () => {
  const ended = await client.subscribed(receiver);
  const living = await client.subscribed(receiver);
  const end = `update webhook_endpoints set expires_at = now() - interval '2 hours' where workspace_id = $1`;
  await tandem.db.rows(end, [ended.workspaceId]);
  await sweep(tandem.db);
  assert.equal([await client.stored(ended.workspaceId), await client.stored(living.workspaceId)], [0, 1]);
});

test.run();
