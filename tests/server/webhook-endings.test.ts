import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { retryAfterOf, retryOf } from '../../server/workers/webhooks/retries.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { ended, happen, loopback, newEndpoint, numbered, refusal, unlimited } from '../support/webhook-world.ts';

const test = suite('webhooks that fail');
let tandem: TestService;
let receiver: Receiver;
test.before(async () => {
  [tandem, receiver] = await Promise.all([startTestService(loopback, unlimited), startReceiver()]);
});
test.after.each(releaseAll);
test.after(async () => {
  await Promise.all([tandem.close(), receiver.close()]);
});

let paths = 0;
const newPath = () => `/failing-${paths++}`;

test('what fails is tried again with the same webhook-id, until it is delivered', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, refusal(500));
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  const [first] = await endpoint.tried(1);
  assert.equal([first.status, first.tries, first.lastAttempt.response.status], ['pending', 1, 500]);
  assert.ok(first.nextTryAt > first.lastAttempt.sentAt);
  assert.ok((await endpoint.read()).failingSince !== null);
  receiver.answer(path, 202);
  await endpoint.retry();
  const [delivery] = await endpoint.deliveries(ended(1));
  assert.equal([delivery.status, delivery.tries, delivery.nextTryAt], ['delivered', 2, null]);
  assert.is((await endpoint.read()).failingSince, null);
  const ids = receiver.at(path).map(({ headers }) => headers['webhook-id']);
  assert.equal(ids, [delivery.eventId, delivery.eventId]);
  const { body } = await endpoint.call(`GET /deliveries/${delivery.id}`);
  assert.equal(
    body.attempts.map(({ response }: { response: { status: number } }) => response.status),
    [500, 202],
  );
});

test('after ten tries a delivery has failed; sent again it has ten more and the same webhook-id', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, refusal(503));
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  let [failed] = await endpoint.tried(1);
  for (let tries = 1; tries < 10; tries++) {
    assert.equal([failed.status, failed.tries], ['pending', tries]);
    await endpoint.retry();
    [failed] = await endpoint.tried(tries + 1);
  }
  assert.equal([failed.status, failed.tries], ['failed', 10]);
  receiver.answer(path, 200);
  const again = await endpoint.call(`POST /deliveries/${failed.id}/redeliver`);
  assert.equal([again.status, again.body.status, again.body.tries], [202, 'pending', 0]);
  const [delivered] = await endpoint.deliveries(ended(1));
  assert.equal([delivered.status, delivered.id, delivered.tries], ['delivered', failed.id, 1]);
  assert.is(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size, 1);
});

test('the pauses between the ten tries add up to about three days', () => {
  const hours = Array.from({ length: 9 }, (_, at) => (retryOf(at + 1) ?? 0) / 3600);
  const sum = hours.reduce((total, each) => total + each, 0);
  assert.ok(sum > 60 && sum < 84, `${sum} hours`);
  assert.is(retryOf(10), null);
  assert.is(retryAfterOf({ 'retry-after': new Date(60_000).toUTCString() }, 0), 60);
  assert.is(retryAfterOf({ 'retry-after': 'soon' }, 0), 0);
  assert.is(retryAfterOf({ 'retry-after': '999999999' }, 0), 86_400);
});

test('Retry-After is honoured where it is later', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, (response) => response.writeHead(429, { 'retry-after': '7200' }).end());
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  const [{ nextTryAt, lastAttempt }] = await endpoint.tried(1);
  assert.ok(Date.parse(nextTryAt) - Date.parse(lastAttempt.sentAt) >= 7200_000);
});

test('a redirect is not followed, and counts as a failure', async () => {
  const workspace = await tandem.workspace();
  const [path, target] = [newPath(), newPath()];
  receiver.answer(path, (response) => response.writeHead(301, { location: receiver.url(target) }).end());
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  const [{ status, lastAttempt }] = await endpoint.tried(1);
  assert.equal([status, lastAttempt.response.status, receiver.at(target).length], ['pending', 301, 0]);
});

/** The notifications of disabled webhooks of the owner. */
async function notified(workspace: Awaited<ReturnType<TestService['workspace']>>) {
  const { body } = await workspace.call('GET /notifications', undefined, { key: await workspace.session() });
  return body.data.filter(({ kind }: { kind: string }) => kind === 'webhook_disabled');
}

test('410 disables the endpoint at once, cancels what waits and notifies its owner; enabling starts again', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, 410);
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path), ordered: true });
  await happen(tandem, workspace.workspaceId, 3);
  const all = await endpoint.deliveries((deliveries) => deliveries.length === 3 && ended(3)(deliveries));
  assert.equal(
    all.map(({ status }) => status),
    ['failed', 'cancelled', 'cancelled'],
  );
  const disabled = await endpoint.read();
  assert.equal([disabled.enabled, disabled.disabledReason], [false, 'gone']);
  const [notice] = await notified(workspace);
  assert.match(notice.text, /410 Gone/);
  assert.not(notice.title.includes(path));
  await happen(tandem, workspace.workspaceId, 1);
  await numbered(tandem, workspace.workspaceId);
  receiver.answer(path, 200);
  const enabled = await endpoint.call('PATCH ', { enabled: true });
  assert.equal([enabled.body.enabled, enabled.body.disabledReason], [true, null]);
  const [latest] = await happen(tandem, workspace.workspaceId, 1);
  const [, second] = await receiver.received(path, 2);
  assert.is(second?.event.data.id, latest);
});

test('an endpoint that failed for five days is disabled by its next failure, not before', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, refusal(500));
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  await endpoint.tried(1);
  const since = `update webhook_endpoints set failing_since = now() - $2::interval where id = $1`;
  await tandem.db.rows(since, [endpoint.id, '4 days 23 hours']);
  await endpoint.retry();
  assert.is((await endpoint.read()).enabled, true);
  await tandem.db.rows(since, [endpoint.id, '5 days']);
  await endpoint.retry();
  const { enabled, disabledReason } = await endpoint.read();
  assert.equal([enabled, disabledReason], [false, 'failing']);
  assert.is((await notified(workspace)).length, 1);
});

test('a secret that cannot be decrypted is a failure of the endpoint; a rotation mends it', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  // As when the row of the key was deleted and the service started again.
  const replaceKey = `update webhook_endpoints set secret = $2 where id = $1`;
  await tandem.db.rows(replaceKey, [endpoint.id, Buffer.alloc(60)]);
  await happen(tandem, workspace.workspaceId, 1);
  const [unsent] = await endpoint.tried(1);
  assert.equal([unsent.status, unsent.lastAttempt.response], ['pending', null]);
  assert.match(unsent.lastAttempt.error, /secret cannot be decrypted/);
  assert.ok((await endpoint.read()).failingSince !== null);
  assert.equal(receiver.at(path), []);
  const { body: rotated } = await endpoint.call('POST /rotate-secret');
  await endpoint.retry();
  const [delivery] = await endpoint.deliveries(ended(1));
  assert.is(delivery.status, 'delivered');
  const [request] = await receiver.received(path, 1);
  assert.ok(request);
  new Webhook(rotated.secret).verify(request.body, request.headers as Record<string, string>);
});

test('nothing is sent once the key of the endpoint is revoked, or its owner is no longer a member', async () => {
  const ends = {
    key: `update credentials set revoked_at = now() where workspace_id = $1 and kind = 'api_key' and user_id = $2`,
    member: `update members set removed_at = now() where workspace_id = $1 and user_id = $2`,
  };
  for (const [what, text] of Object.entries(ends)) {
    const workspace = await tandem.workspace();
    const path = newPath();
    const session = await workspace.session();
    const key = what === 'key' ? workspace.key : session;
    const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) }, key);
    await happen(tandem, workspace.workspaceId, 1);
    await receiver.received(path, 1);
    await tandem.db.rows(text, [workspace.workspaceId, workspace.userId]);
    await happen(tandem, workspace.workspaceId, 2);
    const reason = 'select disabled_reason as reason from webhook_endpoints where id = $1';
    await until(async () => (await tandem.db.rows<{ reason: string }>(reason, [endpoint.id]))[0]?.reason !== null);
    assert.equal(await tandem.db.rows(reason, [endpoint.id]), [{ reason: 'rights_ended' }], what);
    assert.is(receiver.at(path).length, 1, what);
  }
});

test('the webhooks of a member who leaves are disabled at once, the owners are notified, and none goes on by itself', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const [userId, owner] = [await workspace.member(), await workspace.session()];
  const { token } = await openSession(tandem.db, { workspaceId, userId, client: 'test' });
  const url = receiver.url(newPath());
  const endpoint = await newEndpoint(tandem, workspace, { url }, token);
  const left = await tandem.call(`DELETE /workspaces/${workspaceId}/members/${userId}`, undefined, { key: owner });
  assert.is(left.status, 200);
  const { enabled, disabledReason } = await endpoint.read();
  assert.equal([enabled, disabledReason], [false, 'rights_ended']);
  const { body } = await tandem.call('GET /notifications', undefined, { key: owner });
  assert.equal(
    body.data.map(({ kind }: { kind: string }) => kind),
    ['webhook_disabled'],
  );
  const back = 'update members set removed_at = null where workspace_id = $1 and user_id = $2';
  await tandem.db.rows(back, [workspaceId, userId]);
  assert.not.ok((await endpoint.read()).enabled);
});

test('what failed since a time is sent again, also from while it was disabled; on request all of it', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  const delivered = await happen(tandem, workspace.workspaceId, 2);
  await endpoint.deliveries(ended(2));
  await endpoint.call('PATCH ', { enabled: false });
  const missed = await happen(tandem, workspace.workspaceId, 3);
  await numbered(tandem, workspace.workspaceId);
  await endpoint.call('PATCH ', { enabled: true });
  const since = '2026-01-01T00:00:00Z';
  const answer = await endpoint.call('POST /redeliver', { since });
  assert.is(answer.status, 202);
  assert.ok(answer.body.fromSequence >= 1 && answer.body.toSequence >= answer.body.fromSequence);
  await endpoint.deliveries((all) => all.length === 5 && ended(5)(all));
  const idsAt = () => receiver.at(path).map(({ event }) => event.data.id);
  assert.equal([idsAt().length, new Set(idsAt())], [5, new Set([...delivered, ...missed])]);
  await endpoint.call('POST /redeliver', { since, includeDelivered: true });
  const all = await receiver.received(path, 10);
  assert.is(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 5);
  const later = await endpoint.call('POST /redeliver', { since: '2999-01-01T00:00:00Z' });
  assert.is(later.body.fromSequence, null);
});

for (const [what, resends] of [
  ['all', true],
  ['what failed', false],
] as const) {
  test(`a call for all while one for ${what} is half-way sends all of the range again`, async () => {
    const workspace = await tandem.workspace();
    const path = newPath();
    const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
    const ids = await happen(tandem, workspace.workspaceId, 4);
    await endpoint.deliveries(ended(4));
    const text = 'select sequence::int from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 order by 1';
    const values = [workspace.workspaceId, endpoint.id];
    const [, half, , last = 0] = (await tandem.db.rows<{ sequence: number }>(text, values)).map(
      ({ sequence }) => sequence,
    );
    const position = 'update webhook_endpoints set sequence = $3, resend_to = $4 where workspace_id = $1 and id = $2';
    const first = await hold(position, [...values, half, resends ? last : 0]);
    const second = endpoint.call('POST /redeliver', { since: '2026-01-01T00:00:00Z', includeDelivered: true });
    await untilBlocked('%webhook_endpoints%', second);
    await first.commit();
    assert.ok((await second).body.toSequence >= last);
    const all = await receiver.received(path, 8);
    for (const id of ids) assert.is(all.filter(({ event }) => event.data.id === id).length, 2);
  });
}

test('an answer of any size is read to 64 KiB and closed; its status counts', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  const closed = Promise.withResolvers<number>();
  receiver.answer(path, (response) => {
    response.writeHead(200, { 'content-length': String(2 ** 30) });
    let sent = 0;
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a'))) sent += 65_536;
    };
    response.on('drain', more).on('close', () => closed.resolve(sent));
    more();
  });
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  const [{ status, lastAttempt }] = await endpoint.deliveries(ended(1));
  assert.equal([status, lastAttempt.response.body.length], ['delivered', 2000]);
  assert.ok((await closed.promise) < 2 ** 28);
});

test('an answer in an encoding that was not asked for counts by its status', async () => {
  const workspace = await tandem.workspace();
  const path = newPath();
  receiver.answer(path, (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(40)));
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url(path) });
  await happen(tandem, workspace.workspaceId, 1);
  const [{ status }] = await endpoint.tried(1);
  assert.is(status, 'delivered');
});

test.run();
