import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { modernRequest, oldClient, raw } from '../support/mcp-clients.ts';
import { eventClient } from '../support/mcp-events.ts';
import { happen, numbered } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): the catalogue, and polling. */
const test = suite('mcp events: list and poll');
let tandem: TestService;
let client: ReturnType<typeof eventClient>;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  client = eventClient(tandem);
});
test.after(() => tandem.close());

/** A workspace whose events so far are in its log, and a cursor at the end of it. */
async function world() {
  const workspace = await tandem.workspace();
  await happen(tandem, workspace.workspaceId, 1);
  await numbered(tandem, workspace.workspaceId);
  const { cursor } = await client.poll(workspace.key, { name: 'todo.created' });
  const more = async (count: number, event = {}) => {
    const ids = await happen(tandem, workspace.workspaceId, count, event);
    await numbered(tandem, workspace.workspaceId);
    return ids;
  };
  return { ...workspace, cursor: cursor as string, more };
}

const idsOf = ({ events }: { events: { data: { id: string } }[] }) => events.map(({ data }) => data.id);

test('the capability is announced where the SEP has it, and where clients of its drafts look', async () => {
  const { key } = await tandem.workspace();
  const { capabilities } = await client.ask(key, 'server/discover');
  assert.equal([capabilities.extensions['io.modelcontextprotocol/events'], capabilities.events], [{}, {}]);
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const old = await raw(tandem.url, { ...body, params }, { key });
  assert.equal([old.body.result.capabilities.extensions, old.body.result.capabilities.events], [undefined, undefined]);
  const session = await oldClient(tandem.url, key);
  const unknown = await raw(tandem.url, { jsonrpc: '2.0', id: 1, method: 'events/list', params: {} }, { key });
  assert.is(unknown.body.error.code, -32601, 'old clients have no events');
  await session.close();
});

test('events/list has a name, a description, schemas and the modes of each type', async () => {
  const { key } = await tandem.workspace();
  const { events, nextCursor, resultType } = await client.ask(key, 'events/list');
  assert.equal([nextCursor, resultType], [undefined, 'complete']);
  assert.is(new Set(events.map(({ name }: { name: string }) => name)).size, events.length);
  for (const { name, description, delivery, inputSchema, payloadSchema } of events) {
    assert.match(name, /^[a-z_]+\.[a-z_]+$/);
    assert.ok(description.length > 10, name);
    assert.equal(delivery, ['poll', 'push', 'webhook']);
    assert.equal(Object.keys(inputSchema.properties), ['resourceId', 'parentId', 'actorId']);
    assert.equal([inputSchema.type, payloadSchema.type, inputSchema.additionalProperties], ['object', 'object', false]);
  }
  const waits = events.find(({ name }: { name: string }) => name === 'approval.requested');
  assert.match(waits.description, 'until a person decides');
  assert.is((await client.errorOf(key, 'events/list', { cursor: 'x' })).code, -32602);
});

test('a credential sees the types that it may read, and no other', async () => {
  const { mint } = await tandem.workspace();
  const reader = await mint(['todos:read']);
  const { events } = await client.ask(reader, 'events/list');
  const kinds = new Set(events.map(({ name }: { name: string }) => name.split('.')[0]));
  assert.equal(
    [...kinds],
    ['todo', 'todo_list', 'label', 'view', 'todo_run', 'todo_occurrence', 'comment', 'reminder', 'schedule'],
  );
  const { code, data } = await client.errorOf(reader, 'events/poll', { name: 'chat.created' });
  assert.equal([code, data], [-32024, { requiredScopes: ['chats:read'] }]);
  const none = await mint(['captures:write']);
  assert.equal((await client.ask(none, 'events/list')).events, []);
});

test('an app that lacks the scope gets HTTP 403 with a challenge, as for tools', async () => {
  const workspace = await tandem.workspace();
  const token = await (await newGrant(tandem, workspace, ['todos:read'])).token();
  const { status, headers } = await modernRequest(tandem.url, token, 'events/poll', { name: 'chat.created' }, {});
  assert.is(status, 403);
  assert.match(headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
});

test('a null cursor starts from now, without events; the cursor of an answer continues there', async () => {
  const { key, cursor, more } = await world();
  const first = await client.poll(key, { name: 'todo.created', cursor: null });
  const { _meta, ...empty } = first;
  assert.equal(empty, {
    resultType: 'complete',
    events: [],
    cursor,
    truncated: false,
    hasMore: false,
    nextPollMs: 5000,
  });
  const ids = await more(2);
  const next = await client.poll(key, { name: 'todo.created', cursor });
  assert.equal([idsOf(next), next.hasMore, next.truncated], [ids, false, false]);
  const again = await client.poll(key, { name: 'todo.created', cursor: next.cursor });
  assert.equal([again.events, again.cursor], [[], next.cursor]);
});

test('an occurrence is the event of the log: the same id, time and thin data', async () => {
  const { key, cursor, call, workspaceId: of } = await world();
  const { body: todo } = await call('POST /todos', { title: 'Secret plans' });
  await numbered(tandem, of);
  const { events } = await client.poll(key, { name: 'todo.created', cursor });
  const listed = (await call(`GET /events?resourceId=${todo.id}&types=todo.created`)).body.data[0];
  const { actor, sequence, workspaceId, requestId } = listed;
  const data = { ...listed.data, actor, sequence, workspaceId, requestId };
  assert.equal(events, [{ eventId: listed.id, name: 'todo.created', timestamp: listed.occurredAt, data }]);
  assert.not.match(JSON.stringify(events), 'Secret plans');
});

test('maxEvents limits a batch; hasMore says that there is more, and nothing is missed', async () => {
  const { key, cursor, more } = await world();
  const ids = await more(5);
  const found: string[] = [];
  let at = cursor;
  const sizes: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await client.poll(key, { name: 'todo.created', cursor: at, maxEvents: 2 });
    found.push(...idsOf(page));
    sizes.push(page.events.length);
    ({ hasMore, cursor: at } = page);
  }
  assert.equal([found, sizes], [ids, [2, 2, 1]]);
});

test('the cursor advances while nothing matches', async () => {
  const { key, cursor, more } = await world();
  await more(3);
  const { events, cursor: next } = await client.poll(key, { name: 'todo.deleted', cursor });
  assert.equal(events, []);
  assert.is.not(next, cursor);
});

test('arguments narrow what is delivered', async () => {
  const { key, cursor, more, userId } = await world();
  const [todoId = '', other = ''] = await more(2);
  const chatId = crypto.randomUUID();
  const [child = ''] = await more(1, { parents: { chatId } });
  const poll = async (args: object) => idsOf(await client.poll(key, { name: 'todo.created', cursor, arguments: args }));
  assert.equal(await poll({}), [todoId, other, child]);
  assert.equal(await poll({ resourceId: todoId.toUpperCase() }), [todoId]);
  assert.equal(await poll({ parentId: chatId }), [child]);
  assert.equal(await poll({ parentId: chatId, resourceId: todoId }), []);
  assert.equal(await poll({ actorId: userId }), [], 'the service did these');
});

test('what is wrong with a request: unknown names -32023, arguments, cursors and numbers -32602', async () => {
  const { key, cursor } = await world();
  const foreign = await world();
  const unknown = await client.errorOf(key, 'events/poll', { name: 'todo.exploded' });
  assert.equal([unknown.code, unknown.data], [-32023, { kind: 'event' }]);
  assert.is((await client.errorOf(key, 'events/poll', { name: 'api_key.created' })).code, -32023, 'for sessions alone');
  for (const more of [
    { arguments: { resourceId: 'x' } },
    { arguments: { colour: 'red' } },
    { arguments: [] },
    { cursor: 'x' },
    { cursor: `${cursor}A` },
    { cursor: foreign.cursor },
    { cursor: 7 },
    { maxEvents: 0 },
    { maxEvents: 1.5 },
    { maxAgeMs: -1 },
  ]) {
    const { code, message } = await client.errorOf(key, 'events/poll', { name: 'todo.created', ...more });
    assert.is(code, -32602, JSON.stringify(more));
    assert.ok(message.length > 10, message);
  }
  assert.is((await client.errorOf(key, 'events/poll', {})).code, -32602);
});

test('a cursor whose events are no longer kept is truncated, with a fresh cursor, never an error', async () => {
  const { key, cursor, more, workspaceId } = await world();
  const [, , kept = ''] = await more(3);
  const expire = `with gone as (delete from events where workspace_id = $1 and object_id <> $2)
    update event_positions set expired = latest - 1 where workspace_id = $1`;
  await tandem.db.rows(expire, [workspaceId, kept]);
  const page = await client.poll(key, { name: 'todo.created', cursor });
  assert.equal([page.truncated, idsOf(page)], [true, [kept]]);
  const next = await client.poll(key, { name: 'todo.created', cursor: page.cursor });
  assert.equal([next.truncated, next.events], [false, []]);
});

test('a cursor beyond the log, as after a backup was restored, is truncated to its end', async () => {
  const { key, cursor, more, workspaceId } = await world();
  await more(2);
  const { cursor: ahead } = await client.poll(key, { name: 'todo.created', cursor: null });
  const restore = `with gone as (delete from events where workspace_id = $1 and sequence > 1)
    update event_positions set latest = 1 where workspace_id = $1`;
  await tandem.db.rows(restore, [workspaceId]);
  const page = await client.poll(key, { name: 'todo.created', cursor: ahead });
  assert.equal([page.truncated, page.events, page.cursor], [true, [], cursor]);
});

test('maxAgeMs skips what is older and says so; without a cursor it means nothing', async () => {
  const { key, cursor, more, workspaceId } = await world();
  const [old = '', young = ''] = await more(2);
  const age = `update events set occurred_at = now() - interval '1 hour' where workspace_id = $1 and object_id = $2`;
  await tandem.db.rows(age, [workspaceId, old]);
  const page = await client.poll(key, { name: 'todo.created', cursor, maxAgeMs: 1_800_000 });
  assert.equal([idsOf(page), page.truncated], [[young], true]);
  const all = await client.poll(key, { name: 'todo.created', cursor, maxAgeMs: 7_200_000 });
  assert.equal([idsOf(all), all.truncated], [[old, young], false]);
  const ever = await client.poll(key, { name: 'todo.created', cursor, maxAgeMs: Number.MAX_SAFE_INTEGER });
  assert.equal([idsOf(ever), ever.truncated], [[old, young], false]);
  const now = await client.poll(key, { name: 'todo.created', maxAgeMs: 7_200_000 });
  assert.equal([now.events, now.truncated], [[], false]);
});

test('a revoked key polls no more', async () => {
  const { key, workspaceId, cursor } = await world();
  await tandem.db.rows('update credentials set revoked_at = now() where workspace_id = $1', [workspaceId]);
  const { status } = await modernRequest(tandem.url, key, 'events/poll', { name: 'todo.created', cursor }, {});
  assert.is(status, 401);
});

test.run();
