import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sweepDeliveries } from '../../domain/webhooks/retention.ts';
import { endpointsAtATime, endpointsPerWorkspace } from '../../server/workers/webhooks/worker.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { type Received, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { ended, happen, loopback, newEndpoint, refusal, unlimited } from '../support/webhook-world.ts';

const test = suite('webhooks');
let tandem: TestService;
let receiver: Receiver;
test.before(async () => {
  [tandem, receiver] = await Promise.all([startTestService(loopback, unlimited), startReceiver()]);
});
test.after(async () => {
  await Promise.all([tandem.close(), receiver.close()]);
});

let paths = 0;
const newPath = () => `/hook-${paths++}`;

/**
 * Checks a request with the two libraries that receivers use. @throws Error for a signature that is not of the secret.
 */
function verify({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string): void {
  const named = headers as Record<string, string>;
  new Webhook(secret).verify(body, named);
  new SvixWebhook(secret).verify(body, named);
}

test('an event arrives as it is in the log, signed so that two other libraries accept it and no other secret does', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  const [todoId] = await happen(tandem, workspace.workspaceId, 1);
  const [request] = await receiver.received(path, 1);
  assert.ok(request);
  verify(request, endpoint.secret);
  const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  assert.throws(() => verify(request, other));
  assert.throws(() => verify({ ...request, body: `${request.body} ` }, endpoint.secret));
  const { event, headers } = request;
  assert.is(headers['webhook-id'], event.id);
  assert.is(headers['content-type'], 'application/json');
  assert.equal(
    [event.object, event.type, event.workspaceId, event.data.id],
    ['event', 'todo.created', workspace.workspaceId, todoId],
  );
  assert.ok(Number.isInteger(event.sequence));
  const [delivery] = await endpoint.deliveries(ended(1));
  assert.equal([delivery.status, delivery.tries, delivery.eventId], ['delivered', 1, event.id]);
  const { request: sent, response, error } = delivery.lastAttempt;
  assert.equal([sent.body, sent.url, response.status, error], [request.body, receiver.url(path), 204, null]);
  assert.is(sent.headers['webhook-signature'], headers['webhook-signature']);
});

test('only the types that were asked for are sent, each event once', async () => {
  const workspace = await tandem.workspace();
  const [path, all] = [newPath(), newPath()];
  await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await newEndpoint(tandem, workspace, { url: receiver.url(all), types: ['*'] }, await workspace.session());
  const before = await happen(tandem, workspace.workspaceId, 3);
  await happen(tandem, workspace.workspaceId, 2, { type: 'todo.completed' });
  const after = await happen(tandem, workspace.workspaceId, 2);
  const todos = new Set([...before, ...after]);
  assert.equal(new Set((await receiver.received(path, 5)).map(({ event }) => event.data.id)), todos);
  const sequences = (await receiver.received(all, 8)).map(({ event }) => event.sequence);
  assert.is(new Set(sequences).size, sequences.length);
  assert.is(receiver.at(path).length, 5);
});

test('an event for one person alone is sent to endpoints of this person only, and never to those of a key', async () => {
  const workspace = await tandem.workspace();
  const [own, foreign, ofKey] = [newPath(), newPath(), newPath()];
  const session = await workspace.session();
  const types = ['notification.created', 'todo.created'];
  await newEndpoint(tandem, workspace, { url: receiver.url(own), types }, session);
  const other = await newEndpoint(tandem, workspace, { url: receiver.url(foreign), types }, session);
  await newEndpoint(tandem, workspace, { url: receiver.url(ofKey), types: ['*'] });
  const owner = await workspace.member();
  await tandem.db.rows('update webhook_endpoints set user_id = $2 where id = $1', [other.id, owner]);
  const { workspaceId, userId } = workspace;
  await happen(tandem, workspaceId, 1, { type: 'notification.created', readerId: userId });
  await happen(tandem, workspaceId, 1);
  const typesAt = async (path: string, count: number) =>
    (await receiver.received(path, count)).map(({ event }) => event.type).sort();
  assert.equal(await typesAt(own, 2), ['notification.created', 'todo.created']);
  assert.equal(await typesAt(foreign, 1), ['todo.created']);
  assert.equal(await typesAt(ofKey, 1), ['todo.created']);
});

test('after a rotation both secrets verify for 24 hours, then the new one alone', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  const { body: rotated } = await endpoint.call('POST /rotate-secret');
  await happen(tandem, workspace.workspaceId, 1);
  const [both] = await receiver.received(path, 1);
  assert.ok(both);
  assert.is(String(both.headers['webhook-signature']).split(' ').length, 2);
  for (const secret of [endpoint.secret, rotated.secret]) verify(both, secret);
  const expire = `update webhook_endpoints set previous_secret_expires_at = now() where id = $1`;
  await tandem.db.rows(expire, [endpoint.id]);
  await happen(tandem, workspace.workspaceId, 1);
  const one = (await receiver.received(path, 2))[1];
  assert.ok(one);
  verify(one, rotated.secret);
  assert.throws(() => verify(one, endpoint.secret));
});

test('who rotates again, because an answer was lost, is still sent what the secret before verifies', async () => {
  const path = newPath();
  const endpoint = await newEndpoint(tandem, await tandem.workspace(), { url: receiver.url(path) });
  const secrets = [endpoint.secret];
  for (const _ of 'abcd') secrets.push((await endpoint.call('POST /rotate-secret')).body.secret);
  await endpoint.call('POST /test');
  const [request] = await receiver.received(path, 1);
  assert.ok(request);
  for (const secret of secrets.slice(1)) verify(request, secret);
  assert.throws(() => verify(request, endpoint.secret));
});

test('a test is sent and answered like an event; what was answered is shown, at most its beginning', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  receiver.answer(path, (response) =>
    response.writeHead(200, { 'x-kept': 'yes', 'set-cookie': 'a=secret' }).end('ä'.repeat(9000)),
  );
  const { status, body } = await endpoint.call('POST /test');
  assert.equal([status, body.type, body.sequence, body.status], [202, 'webhook.test', null, 'pending']);
  const [request] = await receiver.received(path, 1);
  assert.ok(request);
  verify(request, endpoint.secret);
  assert.equal([request.event.type, request.event.sequence], ['webhook.test', 0]);
  await endpoint.deliveries(ended(1));
  const { body: shown } = await endpoint.call(`GET /deliveries/${body.id}`);
  const [attempt] = shown.attempts;
  assert.is(attempt.response.body, 'ä'.repeat(2000));
  assert.is(attempt.response.headers['x-kept'], 'yes');
  assert.is(attempt.response.headers['set-cookie'], undefined);
});

test('an ordered endpoint gets one event after the other, and the next only when the one before is delivered', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  let open = 0;
  let refuses = true;
  receiver.answer(path, (response) => {
    assert.is(++open, 1, 'one at a time');
    setImmediate(() => {
      open--;
      if (refuses) refusal(503)(response);
      else response.end();
    });
  });
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path), ordered: true });
  const todos = await happen(tandem, workspace.workspaceId, 30);
  await endpoint.tried(1);
  refuses = false;
  await endpoint.retry();
  await endpoint.deliveries(ended(30));
  const received = receiver.at(path).map(({ event }) => event.data.id);
  assert.equal(received, [todos[0], ...todos]);
});

test('an endpoint that never answers holds up neither another one nor its own other events', async () => {
  const workspace = await tandem.workspace();
  const [silent, prompt, mixed] = [newPath(), newPath(), newPath()];
  const held: (() => void)[] = [];
  receiver.answer(silent, (response) => held.push(() => response.end()));
  receiver.answer(mixed, (response, { event }) => {
    if (event.type === 'todo.completed') held.push(() => response.end());
    else response.end();
  });
  await newEndpoint(tandem, workspace, { url: receiver.url(silent) });
  await newEndpoint(tandem, workspace, { url: receiver.url(prompt) });
  await newEndpoint(tandem, workspace, { url: receiver.url(mixed), types: ['todo.created', 'todo.completed'] });
  await happen(tandem, workspace.workspaceId, 1, { type: 'todo.completed' });
  await happen(tandem, workspace.workspaceId, 20);
  await receiver.received(prompt, 20);
  await receiver.received(mixed, 21);
  assert.ok(receiver.at(silent).length < 20);
  await until(() => held.length > 1);
  for (const release of held) release();
});

test('a workspace with many endpoints that never answer does not hold up another one', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const [silent, prompt] = [newPath(), newPath()];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.answer(silent, (response) => void released.then(() => response.end()));
  for (let made = 0; made < endpointsAtATime; made++)
    await newEndpoint(tandem, workspace, { url: receiver.url(silent) });
  await newEndpoint(tandem, other, { url: receiver.url(prompt) });
  await happen(tandem, workspace.workspaceId, 1);
  await receiver.received(silent, endpointsPerWorkspace);
  await happen(tandem, other.workspaceId, 1);
  await receiver.received(prompt, 1);
  assert.is(receiver.at(silent).length, endpointsPerWorkspace);
  release();
  await receiver.received(silent, endpointsAtATime);
});

test('the list of endpoints shows the newest delivery of each, and what came of it', async () => {
  const workspace = await tandem.workspace();
  const [good, bad] = [newPath(), newPath()];
  receiver.answer(bad, refusal(503));
  const untried = await newEndpoint(tandem, workspace, { url: receiver.url(good), enabled: false });
  const delivered = await newEndpoint(tandem, workspace, { url: receiver.url(good) });
  const refused = await newEndpoint(tandem, workspace, { url: receiver.url(bad) });
  await happen(tandem, workspace.workspaceId, 2);
  const [, last] = await delivered.deliveries(ended(2));
  const [, failed] = await refused.tried(2);
  const { body } = await workspace.call('GET /webhook-endpoints');
  const shown = body.data.map(({ id, lastDelivery }: { id: string; lastDelivery: unknown }) => [id, lastDelivery]);
  const summary = ({ id, type, status, createdAt, lastAttempt }: typeof last) => ({
    object: 'webhook_delivery_summary',
    id,
    type,
    status,
    createdAt,
    sentAt: lastAttempt.sentAt,
    responseStatus: lastAttempt.response.status,
    error: null,
  });
  assert.equal(shown, [
    [refused.id, summary(failed)],
    [delivered.id, summary(last)],
    [untried.id, null],
  ]);
  assert.equal([last.lastAttempt.response.status, failed.status], [204, 'pending']);
});

test('deliveries older than they are kept are deleted with their attempts, but none that waits', async () => {
  const workspace = await tandem.workspace();
  const [good, bad] = [newPath(), newPath()];
  receiver.answer(bad, refusal(503));
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(good) });
  const waiting = await newEndpoint(tandem, workspace, { url: receiver.url(bad) });
  await happen(tandem, workspace.workspaceId, 2);
  const [old] = await endpoint.deliveries(ended(2));
  await waiting.tried(2);
  const age = `update webhook_deliveries set created_at = now() - interval '8 days' where id = $1 or endpoint_id = $2`;
  await tandem.db.rows(age, [old.id, waiting.id]);
  await sweepDeliveries(tandem.db, 9);
  assert.is((await endpoint.call('GET /deliveries')).body.data.length, 2);
  await sweepDeliveries(tandem.db, 7);
  assert.is((await endpoint.call(`GET /deliveries/${old.id}`)).status, 404);
  assert.is((await endpoint.call('GET /deliveries')).body.data.length, 1);
  assert.is((await waiting.call('GET /deliveries')).body.data.length, 2);
  const attempts = 'select 1 from webhook_attempts where workspace_id = $1 and delivery_id = $2';
  assert.equal(await tandem.db.rows(attempts, [workspace.workspaceId, old.id]), []);
});

test('deliveries are listed in pages, and by status', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 7);
  const all = await endpoint.deliveries(ended(7));
  const walked: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await endpoint.call(`GET /deliveries?limit=3${cursor}`);
    walked.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.hasMore) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  assert.equal(
    walked.toReversed(),
    all.map(({ id }) => id),
  );
  assert.is((await endpoint.call('GET /deliveries?status=pending')).body.data.length, 0);
  assert.is((await endpoint.call('GET /deliveries?cursor=nonsense')).body.code, 'invalid_cursor');
});

test.run();
