import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type FollowedStream, openEventStream } from '../support/mcp-event-stream.ts';
import { eventClient } from '../support/mcp-events.ts';
import { happen, numbered } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): events that are pushed on the response of a request. */
const test = suite('mcp events: stream');
let tandem: TestService;
let client: ReturnType<typeof eventClient>;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  client = eventClient(tandem);
});
test.after(() => tandem.close());

const correlation = (id: string | number) => ({ 'io.modelcontextprotocol/subscriptionId': id });

test('a stream begins with active, and sends each event with a cursor and the id of its request', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const { cursor } = await client.poll(key, { name: 'todo.created' });
  const stream = await openEventStream(tandem.url, key, { name: 'todo.created' }, 'abc');
  assert.equal([stream.status, stream.type], [200, 'text/event-stream']);
  const active = await stream.next('active');
  assert.equal(active.params, { cursor, truncated: false, _meta: correlation('abc') });
  await happen(tandem, workspaceId, 1, { type: 'todo.completed' });
  const [id] = await happen(tandem, workspaceId, 1);
  const { params } = await stream.next('event');
  const { events, cursor: after } = await client.poll(key, { name: 'todo.created', cursor });
  assert.equal(params, { ...events[0], cursor: after, _meta: correlation('abc') });
  assert.is(params.data.id, id);
  assert.equal(stream.messages.length, 2, 'only what was subscribed to');
  stream.close();
});

test('several streams at once are distinguished by their ids, and arguments narrow each', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const [todoId = ''] = await happen(tandem, workspaceId, 1);
  await numbered(tandem, workspaceId);
  const all = await openEventStream(tandem.url, key, { name: 'todo.updated' }, 1);
  const one = await openEventStream(tandem.url, key, { name: 'todo.updated', arguments: { resourceId: todoId } }, 2);
  await Promise.all([all.next('active'), one.next('active')]);
  const [other] = await happen(tandem, workspaceId, 1, { type: 'todo.updated' });
  await happen(tandem, workspaceId, 1, { type: 'todo.updated', objectId: todoId });
  assert.is((await one.next('event')).params.data.id, todoId);
  assert.is((await all.next('event')).params.data.id, other);
  const second = await all.next('event', 1);
  assert.equal([second.params.data.id, second.params._meta], [todoId, correlation(1)]);
  all.close();
  one.close();
});

test('a client that was away resumes at its cursor, and misses and repeats nothing', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const first = await openEventStream(tandem.url, key, { name: 'todo.created' });
  await first.next('active');
  const [before] = await happen(tandem, workspaceId, 1);
  const { params } = await first.next('event');
  assert.is(params.data.id, before);
  first.close();
  const ids = await happen(tandem, workspaceId, 3);
  await numbered(tandem, workspaceId);
  const second = await openEventStream(tandem.url, key, { name: 'todo.created', cursor: params.cursor });
  await second.next('event', 2);
  const found = second.messages.slice(1).map((message) => message.params.data.id);
  assert.equal([second.messages[0].params.cursor, found], [params.cursor, ids]);
  second.close();
});

test('a gap is no error: active says truncated, and the stream goes on from what is kept', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const { cursor } = await client.poll(key, { name: 'todo.created' });
  await happen(tandem, workspaceId, 2);
  await numbered(tandem, workspaceId);
  const expire = `with gone as (delete from events where workspace_id = $1)
    update event_positions set expired = latest where workspace_id = $1`;
  await tandem.db.rows(expire, [workspaceId]);
  const stream = await openEventStream(tandem.url, key, { name: 'todo.created', cursor });
  const { params } = await stream.next('active');
  assert.is(params.truncated, true);
  assert.is.not(params.cursor, cursor);
  const [id] = await happen(tandem, workspaceId, 1);
  assert.is((await stream.next('event')).params.data.id, id);
  stream.close();
});

test('what is wrong with a request is a JSON-RPC error, and no stream opens', async () => {
  const { key, mint } = await tandem.workspace();
  const reader = await mint(['todos:read']);
  for (const [credential, params, code] of [
    [key, { name: 'todo.exploded' }, -32023],
    [reader, { name: 'chat.created' }, -32024],
    [key, { name: 'todo.created', arguments: { resourceId: 'x' } }, -32602],
    [key, { name: 'todo.created', cursor: 'x' }, -32602],
  ] as const) {
    assert.is((await client.errorOf(credential, 'events/stream', params)).code, code, JSON.stringify(params));
  }
});

for (const [what, end] of [
  ['its key is revoked', `update credentials set revoked_at = now() where workspace_id = $1`],
  ['its person is removed', `update members set removed_at = now() where workspace_id = $1`],
] as const) {
  test(`terminated is the last notification when ${what}, and a result ends the stream`, async () => {
    const { key, workspaceId } = await tandem.workspace();
    const stream = await openEventStream(tandem.url, key, { name: 'todo.created' });
    await stream.next('active');
    await tandem.db.rows(end, [workspaceId]);
    await stream.ended;
    const [, terminated, result] = stream.messages;
    assert.is(terminated.method, 'notifications/events/terminated');
    const error = { code: -32024, message: 'Forbidden', data: { reason: 'Access revoked' } };
    assert.equal(terminated.params, { error, _meta: correlation(7) });
    assert.equal(result, { jsonrpc: '2.0', id: 7, result: { resultType: 'complete', _meta: {} } });
  });
}

test('a stream ends when the consent of its app is revoked', async () => {
  const workspace = await tandem.workspace();
  const { grantId, token } = await newGrant(tandem, workspace, ['todos:read']);
  const stream = await openEventStream(tandem.url, await token(), { name: 'todo.created' });
  await stream.next('active');
  const app = await workspace.call(`DELETE /connected-apps/${grantId}`, undefined, { key: await workspace.session() });
  assert.is(app.status, 200, app.text);
  await stream.ended;
  assert.is(stream.messages.at(-2).method, 'notifications/events/terminated');
});

test('a credential that merely expires ends the stream without terminating the subscription', async () => {
  const { mint } = await tandem.workspace();
  /** A stream of a key that lives long enough for it to open, on a machine of any speed. */
  const opened = async (livesMs: number): Promise<FollowedStream> => {
    const key = await mint(['todos:read'], { expiresAt: new Date(Date.now() + livesMs).toISOString() });
    const stream = await openEventStream(tandem.url, key, { name: 'todo.created' });
    return stream.status === 200 ? stream : opened(2 * livesMs);
  };
  const stream = await opened(1500);
  await stream.ended;
  // A key that had to live for long sees heartbeats.
  const kinds = stream.messages.map(({ method, result }) => method ?? result.resultType);
  assert.equal(
    kinds.filter((kind) => kind !== 'notifications/events/heartbeat'),
    ['notifications/events/active', 'complete'],
  );
});

test.run();
