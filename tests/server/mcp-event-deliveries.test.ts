import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deliveryStatusOf } from '../../domain/webhooks/delivery-status.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { eventClient, newSecret, verified } from '../support/mcp-events.ts';
import { until } from '../support/until.ts';
import { type Received, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { happen, loopback, numbered, refusal, unlimited } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): what the address of a subscription gets, and when that ends. */
const test = suite('mcp events: deliveries');
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

test('a delivery is the occurrence that polling has, signed with the secret of the client', async () => {
  const { key, workspaceId, secret, subscription, got } = await client.subscribed(receiver);
  const [id] = await happen(tandem, workspaceId, 1);
  const [request] = (await got(1)) as [Received];
  const { headers, event } = request;
  assert.is(verified(secret, request).eventId, event.eventId);
  assert.throws(() => verified(newSecret(), request));
  assert.equal([headers['x-mcp-subscription-id'], headers['webhook-id']], [subscription.id, event.eventId]);
  assert.is(headers['content-type'], 'application/json');
  const { events, cursor } = await client.poll(key, { name, cursor: subscription.cursor });
  assert.equal(event, { ...events[0], cursor });
  assert.is(event.data.id, id);
});

test('only events of its type that its arguments ask for are sent', async () => {
  const resourceId = crypto.randomUUID();
  const { workspaceId, got, at } = await client.subscribed(receiver, { params: { arguments: { resourceId } } });
  await happen(tandem, workspaceId, 2);
  await happen(tandem, workspaceId, 1, { type: 'todo.updated', objectId: resourceId });
  await happen(tandem, workspaceId, 1, { objectId: resourceId });
  const [request] = (await got(1)) as [Received];
  assert.equal([request.event.name, request.event.data.id], [name, resourceId]);
  assert.is(at().length, 1);
  assert.is((await client.deliveries(workspaceId)).length, 1);
});

test('a cursor replays what happened since; null starts from now', async () => {
  const workspace = await tandem.workspace();
  const { cursor } = await client.poll(workspace.key, { name });
  const ids = await happen(tandem, workspace.workspaceId, 2);
  await numbered(tandem, workspace.workspaceId);
  const replayed = await client.subscribed(receiver, { params: { cursor }, workspace });
  const fresh = await client.subscribed(receiver, { params: { cursor: null }, workspace });
  const found = (await replayed.got(2)).map(({ event }) => event.data.id);
  assert.equal(found.sort(), ids.toSorted());
  assert.equal(fresh.at(), []);
  assert.equal([replayed.subscription.truncated, fresh.subscription.truncated], [false, false]);
});

test('a cursor whose events are no longer kept is truncated', async () => {
  const workspace = await tandem.workspace();
  const { cursor } = await client.poll(workspace.key, { name });
  await happen(tandem, workspace.workspaceId, 2);
  await numbered(tandem, workspace.workspaceId);
  const expire = `with gone as (delete from events where workspace_id = $1)
    update event_positions set expired = latest where workspace_id = $1`;
  await tandem.db.rows(expire, [workspace.workspaceId]);
  const { subscription } = await client.subscribed(receiver, { params: { cursor }, workspace });
  assert.is(subscription.truncated, true);
  assert.is.not(subscription.cursor, cursor);
});

test('the cursor is safe to keep: never past an event that still waits', async () => {
  const { workspaceId, path, got, refresh, subscription, key } = await client.subscribed(receiver);
  receiver.answer(path, refusal(500));
  const [first] = await happen(tandem, workspaceId, 1);
  await got(1);
  await client.tried(workspaceId, 1);
  await until(async () => (await client.deliveries(workspaceId))[0]?.tries === 1);
  receiver.answer(path, 204);
  const [second] = await happen(tandem, workspaceId, 1);
  const [, later] = (await got(2)) as [Received, Received];
  assert.is(later.event.data.id, second);
  const missed = await client.poll(key, { name, cursor: later.event.cursor });
  assert.equal(
    missed.events.map(({ data }: { data: { id: string } }) => data.id),
    [first, second],
  );
  assert.is((await refresh()).cursor, subscription.cursor);
  await client.makeDue(workspaceId);
  await until(async () => (await client.deliveries(workspaceId)).every(({ status }) => status === 'delivered'));
  const after = await client.poll(key, { name, cursor: (await refresh()).cursor });
  assert.equal(after.events, []);
});

test('what fails is tried again with the same webhook-id, a new time and a new signature', async () => {
  const { workspaceId, path, got, secret } = await client.subscribed(receiver);
  receiver.answer(path, refusal(500));
  await happen(tandem, workspaceId, 1);
  await got(1);
  await client.tried(workspaceId, 1);
  await client.makeDue(workspaceId);
  const tries = await got(2);
  for (const request of tries) assert.ok(verified(secret, request));
  assert.is(new Set(tries.map(({ headers }) => headers['webhook-id'])).size, 1);
});

test('a 413 is not tried again; a 410 ends the subscription', async () => {
  const large = await client.subscribed(receiver);
  receiver.answer(large.path, 413);
  await happen(tandem, large.workspaceId, 1);
  await until(async () => (await client.deliveries(large.workspaceId))[0]?.status === 'failed');
  assert.equal(await client.deliveries(large.workspaceId), [{ status: 'failed', tries: 1 }]);
  assert.is(await client.stored(large.workspaceId), 1);
  const unwanted = await client.subscribed(receiver);
  receiver.answer(unwanted.path, 410);
  await happen(tandem, unwanted.workspaceId, 1);
  await unwanted.gone();
  const { data } = (await unwanted.call('GET /notifications', undefined, { key: await unwanted.session() })).body;
  assert.equal(data, [], 'a person who made no endpoint is not notified of one');
});

test('another secret on a refresh replaces the one before, which signs too for a while', async () => {
  const { workspaceId, secret, params, refresh, got } = await client.subscribed(receiver);
  const next = newSecret();
  await refresh({ delivery: { ...params.delivery, secret: next } });
  await happen(tandem, workspaceId, 1);
  const [both] = (await got(1)) as [Received];
  assert.ok(verified(secret, both) && verified(next, both));
  await refresh({ delivery: { ...params.delivery, secret: next } });
  const over = `update webhook_endpoints set previous_secret_expires_at = now() where workspace_id = $1`;
  await tandem.db.rows(over, [workspaceId]);
  await happen(tandem, workspaceId, 1);
  const [, one] = (await got(2)) as [Received, Received];
  assert.ok(verified(next, one));
  assert.throws(() => verified(secret, one));
});

test('a refresh says how deliveries went, in categories, and resumes what was suspended', async () => {
  const { workspaceId, path, got, refresh } = await client.subscribed(receiver);
  const healthy = (await refresh()).deliveryStatus;
  assert.equal(healthy, { active: true, lastDeliveryAt: null, lastError: null });
  receiver.answer(path, (response) => response.writeHead(404, { 'retry-after': '86400' }).end('Secret words'));
  await happen(tandem, workspaceId, 1);
  await got(1);
  await client.tried(workspaceId, 1);
  const failing = (await refresh()).deliveryStatus;
  assert.equal([failing.active, failing.lastError], [true, 'http_4xx']);
  assert.not.match(JSON.stringify(failing), 'Secret');
  const cursor = (await refresh()).cursor;
  const suspend = `update webhook_endpoints set failing_since = now() - interval '6 days' where workspace_id = $1`;
  await tandem.db.rows(suspend, [workspaceId]);
  await client.makeDue(workspaceId);
  const enabled = `select enabled from webhook_endpoints where workspace_id = $1`;
  await until(async () => (await tandem.db.rows<{ enabled: boolean }>(enabled, [workspaceId]))[0]?.enabled === false);
  receiver.answer(path, 204);
  const resumed = (await refresh({ cursor })).deliveryStatus;
  assert.is(resumed.active, false);
  const requests = await got(3);
  assert.is(new Set(requests.map(({ event }) => event.eventId)).size, 1, 'the event that failed comes again');
  assert.is((await refresh()).deliveryStatus.active, true);
});

test('how deliveries went is read of some of them, however many wait behind', async () => {
  const { workspaceId, path, got, subscription } = await client.subscribed(receiver);
  await happen(tandem, workspaceId, 1);
  await got(1);
  await client.tried(workspaceId, 1);
  receiver.answer(path, refusal(404));
  await happen(tandem, workspaceId, 1);
  await got(2);
  await client.tried(workspaceId, 2);
  const endpointId = subscription.id.replace('sub_', '');
  const fill = `insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, sequence, type, due_at, created_at)
    select $1, gen_random_uuid(), $2, gen_random_uuid(), 1000000 + n, 'todo.created', now() + interval '1 day',
      now() + n * interval '1 ms' from generate_series(1, 3000) n`;
  await tandem.db.rows(fill, [workspaceId, endpointId]);
  await tandem.db.rows('analyze webhook_deliveries', []);
  await tandem.db.transaction(async (tx) => {
    const read = async () => {
      const text = `select (sum(seq_tup_read) + sum(idx_tup_fetch))::int as read from pg_stat_xact_user_tables
        where relname in ('webhook_deliveries', 'webhook_attempts')`;
      return (await tx.rows<{ read: number }>(text, []))[0]?.read ?? 0;
    };
    const before = await read();
    const status = await deliveryStatusOf(tx, { workspaceId, endpointId });
    assert.equal([status?.active, status?.lastError], [true, 'http_4xx']);
    assert.ok(status?.lastDeliveryAt);
    const rows = (await read()) - before;
    assert.ok(rows < 500, `${rows} rows`);
  });
});

test('an approval that waits reaches the address, and what it names can be read', async () => {
  const workspace = await tandem.workspace();
  const { got, call } = await client.subscribed(receiver, { params: { name: 'approval.requested' }, workspace });
  const approvalId = await workspace.approval();
  const { chatId, agentId } = (await call(`GET /approvals/${approvalId}`)).body;
  const [{ event }] = (await got(1)) as [Received];
  assert.equal([event.data.object, event.data.id], ['approval', approvalId]);
  assert.equal(event.data.parents, { chatId, agentId });
});

test.run();
