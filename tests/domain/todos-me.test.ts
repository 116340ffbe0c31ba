import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { addAgent, addMember, person, refused, titlesOf, worker } from '../support/todo-fixtures.ts';

const test = suite('me as an assignee');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** A query or a mutation of tRPC with the key. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
async function trpc(key: string, path: string, input: object, isQuery = false): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const address = `${tandem.url}/trpc/${path}`;
  const response = isQuery
    ? await fetch(`${address}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })
    : await fetch(address, { method: 'POST', headers, body: JSON.stringify(input) });
  return ((await response.json()) as { result: { data: unknown } }).result.data;
}

test('me is the owner of the credential, whoever else is named and however often', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const scout = await addAgent(tandem, workspaceId, 'Scout');
  const assignees = [{ id: scout }, { id: 'me' }, { id: userId }, { id: 'me', type: 'user' }];
  const { body: made } = await call('POST /todos', { title: 'a', assignees });
  assert.equal(made.assignees, [worker(scout, 'Scout'), person(userId)]);
  const { body: bare } = await call('POST /todos', { title: 'b', assignees: [] });
  const { body: changed } = await call(`PATCH /todos/${bare.id}`, { assignees: [{ id: 'me' }] });
  assert.equal(changed.assignees, [person(userId)]);
  const { body: batch } = await call('POST /todos/batch', { data: [{ title: 'c', assignees: [{ id: 'me' }] }] });
  assert.equal(batch.data[0].assignees, [person(userId)]);
  const patch = { assignees: [{ id: 'me' }, { id: scout }] };
  const { body: bulk } = await call('POST /todos/bulk', { ids: [bare.id], patch, dryRun: true });
  assert.equal(bulk.data[0].assignees, [person(userId), worker(scout, 'Scout')]);
});

test('me filters lists, counts and summaries, and its cursor belongs to one person', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const other = await addMember(tandem, workspaceId, 'Olga');
  for (const [title, id] of [
    ['mine', 'me'],
    ['theirs', other],
    ['also mine', userId],
  ]) {
    await call('POST /todos', { title, assignees: [{ id }] });
  }
  const page = await call('GET /todos?assigneeId=me&include=totalCount&sort=updatedAt');
  assert.equal(titlesOf(page), ['also mine', 'mine']);
  assert.is(page.body.totalCount, 2);
  assert.equal(titlesOf(await call('GET /todos?assigneeId=me')), ['also mine', 'mine']);
  assert.is((await call('GET /todos/summary?assigneeId=me')).body.total, 2);
  const { body: first } = await call('GET /todos?assigneeId=me&limit=1');
  assert.equal(titlesOf(await call(`GET /todos?assigneeId=me&limit=1&cursor=${first.nextCursor}`)), ['mine']);
  const theirs = { workspaceId, userId: other, name: 'Theirs', scopes: [...scopes], rateLimitPerMinute: 1000 };
  const { secret: key } = await createApiKey(tandem.db, theirs);
  assert.equal(titlesOf(await call('GET /todos?assigneeId=me', undefined, { key })), ['theirs']);
  const stolen = await call(`GET /todos?assigneeId=me&cursor=${first.nextCursor}`, undefined, { key });
  refused(stolen, 400, 'cursor', 'invalid_cursor');
});

test('me works the same over MCP and tRPC', async () => {
  const { call, key, userId } = await tandem.workspace();
  const made = (await callTool(tandem.url, key, 'create_todo', { title: 'a', assignees: [] })).data.todo;
  const changed = await callTool(tandem.url, key, 'update_todo', { todoId: made.id, assignees: [{ id: 'me' }] });
  assert.is(changed.data.todo.assignees[0].id, userId);
  const created = await trpc(key, 'todos.create', { title: 'b', assignees: [{ id: 'me' }] });
  assert.equal(created.assignees, [person(userId)]);
  await call('POST /todos', { title: 'c', assignees: [] });
  assert.is((await callTool(tandem.url, key, 'list_todos', { assigneeId: 'me' })).data.summary.total, 2);
  assert.equal(titlesOf({ body: await trpc(key, 'todos.list', { assigneeId: 'me' }, true) } as never), ['b', 'a']);
});

test('me is no agent, and nothing else stands for a person', async () => {
  const { call, workspaceId } = await tandem.workspace();
  await addAgent(tandem, workspaceId, 'me');
  refused(await call('POST /todos', { title: 'a', assignees: [{ id: 'me', type: 'agent' }] }), 404, 'assignees[0].id');
  refused(await call('POST /todos', { title: 'a', assignees: [{ id: 'me' }], run: true }), 400, 'run');
  refused(await call('POST /todos', { title: 'a', assignees: [{ id: 'mee' }] }), 400, 'assignees[0].id');
  refused(await call('GET /todos?assigneeId=Me'), 400, 'assigneeId');
});

test.run();
