import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newId } from '../../db/ids.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { assistantOf, refused, titlesOf } from '../support/todo-fixtures.ts';

const test = suite('changing all todos that a filter matches');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

type Called = TestWorkspace['call'];

async function fill(call: Called, count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const data = Array.from({ length: Math.min(50, count - ids.length) }, (_, place) => ({
      title: `${ids.length + place}`,
      ...more,
    }));
    const { body } = await call('POST /todos/batch', { data });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
  }
  return ids.sort();
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

test('a patch by filter changes what the filter lists, and nothing else', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const wanted = await fill(call, 3, { priority: 'low' });
  const others = await fill(call, 2);
  const { body: archived } = await call('POST /todos', { title: 'archived', priority: 'low' });
  await call(`DELETE /todos/${archived.id}`);
  const where = { priority: ['low', 'medium'], status: 'active' };
  const { status, body, text } = await call('POST /todos/bulk', {
    where,
    expectedCount: 3,
    patch: { type: 'responsibility' },
  });
  assert.is(status, 200, text);
  const { data, ...envelope } = body;
  assert.equal(envelope, { object: 'list', hasMore: false, nextCursor: null, totalCount: 3 });
  assert.equal(idsOf({ data }), wanted);
  for (const todo of data) {
    assert.is(todo.type, 'responsibility');
    assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
  }
  for (const id of [...others, archived.id]) assert.is((await call(`GET /todos/${id}`)).body.type, 'task');
  const updated = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo.updated');
  assert.equal(updated.map(({ objectId }) => objectId).sort(), wanted);
});

test('a filter needs todos:read, as it reveals what is in todos; ids do not', async () => {
  const { call, mint } = await tandem.workspace();
  const [id] = await fill(call, 1);
  const key = await mint(['todos:write']);
  for (const body of [
    { where: {}, patch: {}, dryRun: true },
    { where: { query: '0' }, archive: true },
  ]) {
    const { status, body: problem } = await call('POST /todos/bulk', body, { key });
    assert.equal([status, problem.code, problem.requiredScopes], [403, 'missing_scope', ['todos:read']]);
  }
  assert.is((await call(`GET /todos/${id}`)).body.isArchived, false);
  assert.is((await call('POST /todos/bulk', { ids: [id], patch: { type: 'task' } }, { key })).status, 200);
});

test('another number than expected is refused and changes nothing', async () => {
  const { call } = await tandem.workspace();
  await fill(call, 2);
  for (const expectedCount of [0, 1, 3]) {
    const answer = await call('POST /todos/bulk', { where: {}, expectedCount, archive: true });
    refused(answer, 409, 'expectedCount');
    assert.is(answer.body.reason, 'count_differs');
    assert.match(answer.body.message, /match 2 todos/);
  }
  assert.is((await call('GET /todos/summary')).body.total, 2);
  const none = await call('POST /todos/bulk', { where: { status: 'done' }, expectedCount: 0, archive: true });
  assert.equal([none.status, none.body.data, none.body.totalCount], [200, [], 0]);
});

test('a dry run shows what would be and changes nothing', async () => {
  const { call } = await tandem.workspace();
  const ids = await fill(call, 2);
  const { body } = await call('POST /todos/bulk', { where: { query: '1' }, patch: { title: 'z' }, dryRun: true });
  assert.equal([idsOf(body), body.data[0].title, body.totalCount], [[ids[1]], 'z', 1]);
  assert.equal(titlesOf(await call('GET /todos?order=asc')), ['0', '1']);
});

test('more than a call changes go on with the cursor, each once, until none is left', async () => {
  const { call } = await tandem.workspace();
  const ids = await fill(call, 1030);
  const change = { where: { status: 'ready' }, patch: { status: 'done' } };
  const first = await call('POST /todos/bulk', { ...change, expectedCount: 1030 });
  assert.is(first.status, 200, first.text);
  assert.equal([first.body.data.length, first.body.hasMore, first.body.totalCount], [1000, true, 1030]);
  const { nextCursor: cursor } = first.body;
  const other = { ...change, patch: { status: 'in_progress' }, cursor };
  refused(await call('POST /todos/bulk', other), 400, 'cursor', 'invalid_cursor');
  const second = await call('POST /todos/bulk', { ...change, cursor, expectedCount: 30 });
  assert.equal([second.body.hasMore, second.body.nextCursor, second.body.totalCount], [false, null, 30], second.text);
  assert.equal([...idsOf(first.body), ...idsOf(second.body)], ids);
  const { body: summary } = await call('GET /todos/summary');
  assert.equal(summary.byStatus, { ready: 0, in_progress: 0, done: 1030 });
});

test('a patch that may start agents changes 100 a call', async () => {
  const { call, workspaceId } = await tandem.workspace();
  await fill(call, 120);
  const assignees = [{ id: await assistantOf(tandem, workspaceId) }];
  const dry = await call('POST /todos/bulk', { where: {}, patch: { assignees }, dryRun: true });
  assert.equal([dry.body.data.length, dry.body.hasMore, dry.body.totalCount], [100, true, 120], dry.text);
});

test('todos that another writer moved out of the filter meanwhile are left alone', async () => {
  const { call } = await tandem.workspace();
  const [first = ''] = await fill(call, 40);
  const changes = await Promise.all([
    call('POST /todos/bulk', { where: { status: 'ready' }, patch: { status: 'done' } }),
    call('POST /todos/bulk', { where: { status: 'ready' }, patch: { status: 'in_progress' } }),
  ]);
  const [done, begun] = changes.map(({ body }) => idsOf(body));
  assert.equal([...(done ?? []), ...(begun ?? [])].length, 40);
  const { body } = await call('GET /todos/summary');
  assert.equal(body.byStatus, { ready: 0, in_progress: begun?.length, done: done?.length });
  assert.is((await call(`GET /todos/${first}`)).body.version, 2);
});

test('the cursor goes on also where another writer moved all that a call found out of the filter', async () => {
  const { call, workspaceId, userId } = await tandem.workspace();
  const ids = await fill(call, 120);
  const change = { where: { status: 'ready' }, patch: { assignees: [{ id: userId }] } };
  const moved = `update todos set status = 'done' where workspace_id = $1 and id = any($2::uuid[])`;
  const writer = await hold(moved, [workspaceId, ids.slice(0, 100)]);
  const first = call('POST /todos/bulk', change);
  await untilBlocked('%todos%for%update%', first);
  await writer.commit();
  const { body } = await first;
  assert.equal([body.data, body.hasMore, body.totalCount], [[], true, 20]);
  const { body: rest } = await call('POST /todos/bulk', { ...change, cursor: body.nextCursor });
  assert.equal([idsOf(rest), rest.hasMore, rest.nextCursor], [ids.slice(100), false, null]);
});

test('ids and where are alternatives, and what goes with where alone is named', async () => {
  const { call } = await tandem.workspace();
  const ids = await fill(call, 1);
  const faults: [object, string][] = [
    [{ archive: true }, 'ids'],
    [{ ids, where: {}, archive: true }, 'ids'],
    [{ where: {} }, 'patch'],
    [{ ids, archive: true, expectedCount: 1 }, 'expectedCount'],
    [{ ids, archive: true, cursor: 'x' }, 'cursor'],
    [{ where: { status: 'open' }, archive: true }, 'where.status'],
    [{ where: { owner: 'x' }, archive: true }, 'where.owner'],
    [{ where: {}, archive: true, expectedCount: -1 }, 'expectedCount'],
  ];
  for (const [body, param] of faults) refused(await call('POST /todos/bulk', body), 400, param);
  refused(await call('POST /todos/bulk', { where: {}, archive: true, cursor: 'x' }), 400, 'cursor', 'invalid_cursor');
  assert.is((await call('GET /todos/summary')).body.total, 1);
});

test('a call archives at most 1,000 todos, their sub-todos counted', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const parents = await fill(call, 6);
  const subTodos = `insert into todos (workspace_id, id, title, type, status, source, todo_list_id, parent_todo_id)
    select t.workspace_id, given.id, 'step', t.type, t.status, t.source, t.todo_list_id, t.id
    from unnest($2::uuid[], $3::uuid[]) given(id, parent_id)
    join todos t on t.workspace_id = $1 and t.id = given.parent_id`;
  const each = parents.flatMap((id) => Array(200).fill(id));
  await tandem.db.rows(subTodos, [workspaceId, each.map(() => newId()), each]);
  const had = 'update todos set has_had_sub_todos = true where workspace_id = $1 and id = any($2::uuid[])';
  await tandem.db.rows(had, [workspaceId, parents]);
  const change = { where: { hasParent: false }, archive: true };
  const byIds = await call('POST /todos/bulk', { ids: parents, archive: true });
  refused(byIds, 400, 'ids');
  assert.match(byIds.body.message, /Archive the first 4 of them/);
  const first = await call('POST /todos/bulk', change);
  assert.equal(
    [idsOf(first.body), first.body.hasMore, first.body.totalCount],
    [parents.slice(0, 4), true, 6],
    first.text,
  );
  const { nextCursor: cursor } = first.body;
  const { body: second } = await call('POST /todos/bulk', { ...change, cursor });
  assert.equal([idsOf(second), second.hasMore, second.totalCount], [parents.slice(4), false, 2]);
  assert.is((await call('GET /todos/summary')).body.total, 0);
});

test.run();
