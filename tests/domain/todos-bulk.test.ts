import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addAgent, assistantOf, person, refused, setColumns, unknownId, worker } from '../support/todo-fixtures.ts';

const test = suite('many todos at once');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Called = TestWorkspace['call'];

async function three(call: Called) {
  const { body } = await call('POST /todos/batch', { data: ['a', 'b', 'c'].map((title) => ({ title })) });
  return { todos: body.data, ids: body.data.map((todo: { id: string }) => todo.id) as string[] };
}

async function total(call: Called): Promise<number> {
  return (await call('GET /todos/summary')).body.total;
}

test('a batch of 1 to 50 answers in the order of the request, each as if made alone', async () => {
  const { call, userId } = await tandem.workspace();
  for (const size of [1, 50]) {
    const titles = Array.from({ length: size }, (_, index) => `Item ${index}`);
    const { status, body } = await call('POST /todos/batch', { data: titles.map((title) => ({ title })) });
    assert.is(status, 200);
    const { data, ...envelope } = body;
    assert.equal(envelope, { object: 'list', hasMore: false, nextCursor: null, totalCount: null });
    assert.equal(
      data.map((todo: { title: string }) => todo.title),
      titles,
    );
    for (const todo of data.slice(0, 3)) assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
    assert.equal(data.at(-1).assignees, [person(userId)]);
  }
});

test('a batch of none, of 51 or of something else is refused', async () => {
  const { call } = await tandem.workspace();
  const todo = { title: 'a' };
  for (const data of [[], Array(51).fill(todo), todo, null, undefined]) {
    refused(await call('POST /todos/batch', { data }), 400, 'data');
  }
  refused(await call('POST /todos/batch', { data: [todo, 'b'] }), 400, 'data[1]');
  refused(await call('POST /todos/batch', { data: [todo], dryRun: true }), 400, 'dryRun');
  refused(await call('POST /todos/batch', [todo]), 400, null);
  assert.is(await total(call), 0);
});

test('one bad item refuses the batch, names itself, and nothing is made', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const retired = await addAgent(tandem, workspaceId, 'Retired', true);
  const faults: [Record<string, unknown>, number, string][] = [
    [{}, 400, 'title'],
    [{ title: 'b', dueDate: '2026-02-30' }, 400, 'dueDate'],
    [{ title: 'b', extra: 1 }, 400, 'extra'],
    [{ title: 'b', run: true }, 400, 'run'],
    [{ title: 'b', todoListId: unknownId, todoListName: 'x' }, 400, 'todoListName'],
    [{ title: 'b', todoListName: 'Nowhere' }, 400, 'todoListName'],
    [{ title: 'b', assignees: [{ id: retired }] }, 400, 'assignees[0].id'],
    [{ title: 'b', todoListId: unknownId }, 404, 'todoListId'],
    [{ title: 'b', assignees: [{ id: unknownId }] }, 404, 'assignees[0].id'],
    [{ title: 'b', captureId: unknownId }, 404, 'captureId'],
  ];
  for (const [fault, status, field] of faults) {
    const data = [{ title: 'a' }, fault, { title: 'c' }];
    refused(await call('POST /todos/batch', { data }), status, `data[1].${field}`);
  }
  const data = [{ title: 'a', captureId: unknownId }, {}];
  refused(await call('POST /todos/batch', { data }), 400, 'data[1].title');
  assert.is(await total(call), 0);
});

test('a bulk patch changes all of them and answers in the order of ids, repeated ones once', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const agent = await assistantOf(tandem, workspaceId);
  const { todos, ids } = await three(call);
  const [a = '', b = '', c = ''] = ids;
  const patch = { status: 'done', priority: 'high', dueDate: '2026-05-05', assignees: [{ id: agent }] };
  const { status, body } = await call('POST /todos/bulk', { ids: [c, a.toUpperCase(), c, b, a], patch });
  assert.is(status, 200);
  const shown = { ...patch, assignees: [worker(agent)], version: 2, updatedAt: body.data[0].updatedAt };
  assert.equal(body, {
    object: 'list',
    data: [2, 0, 1].map((index) => ({ ...todos[index], ...shown })),
    hasMore: false,
    nextCursor: null,
    totalCount: null,
  });
  for (const todo of body.data) assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
});

test('a bulk archive archives what is active and leaves the archived as they are', async () => {
  const { call } = await tandem.workspace();
  const { ids } = await three(call);
  await call(`DELETE /todos/${ids[1]}`);
  await setColumns(tandem, ids[1] ?? '', { updated_at: '2020-01-01T00:00:00Z' });
  const { status, body } = await call('POST /todos/bulk', { ids, archive: true });
  assert.is(status, 200);
  assert.equal(
    body.data.map((todo: { isArchived: boolean }) => todo.isArchived),
    [true, true, true],
  );
  assert.is(body.data[1].updatedAt, '2020-01-01T00:00:00.000Z');
  assert.is(await total(call), 0);
});

test('a dry run answers what would be and changes nothing', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const agent = await assistantOf(tandem, workspaceId);
  const { todos, ids } = await three(call);
  for (const change of [{ patch: { title: 'z', assignees: [{ id: agent }] } }, { archive: true }]) {
    const { status, body } = await call('POST /todos/bulk', { ids, ...change, dryRun: true });
    assert.is(status, 200);
    const would = 'patch' in change ? { title: 'z', assignees: [worker(agent)] } : { isArchived: true };
    const updatedAt = body.data[0].updatedAt;
    assert.equal(
      body.data,
      todos.map((todo: object) => ({ ...todo, ...would, version: 2, updatedAt })),
    );
    for (const todo of todos) assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
  }
  assert.is((await call('GET /todos?query=z')).body.data.length, 0);
  const refusal = await call('POST /todos/bulk', { ids: [unknownId], archive: true, dryRun: true });
  refused(refusal, 404, 'ids[0]');
});

test('one unknown id refuses the whole, names its place, and nothing changes', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { todos, ids } = await three(call);
  const { ids: foreign } = await three(other.call);
  for (const stranger of [unknownId, foreign[0]]) {
    const mixed = [ids[0], ids[0], ids[1], stranger, ids[2], unknownId];
    refused(await call('POST /todos/bulk', { ids: mixed, patch: { title: 'z' } }), 404, 'ids[3]');
    refused(await call('POST /todos/bulk', { ids: mixed, archive: true }), 404, 'ids[3]');
  }
  for (const todo of todos) assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
  assert.is(await total(other.call), 3);
});

test('a bulk change is a patch or an archive, of 1 to 100 ids, and says what is at fault', async () => {
  const { call } = await tandem.workspace();
  const { todos, ids } = await three(call);
  const hundred = Array.from({ length: 100 }, () => ids[0]);
  assert.is((await call('POST /todos/bulk', { ids: hundred, patch: { priority: null } })).body.data.length, 1);
  const faults: [Record<string, unknown>, string][] = [
    [{ ids }, 'patch'],
    [{ ids, patch: {}, archive: true }, 'patch'],
    [{ ids, archive: false }, 'archive'],
    [{ ids: [], archive: true }, 'ids'],
    [{ ids: [...hundred, ids[1]], archive: true }, 'ids'],
    [{ ids: ['x'], archive: true }, 'ids[0]'],
    [{ archive: true }, 'ids'],
    [{ ids, patch: { titel: 'a' } }, 'patch.titel'],
    [{ ids, patch: { todoId: ids[0] } }, 'patch.todoId'],
    [{ ids, patch: { title: ' ' } }, 'patch.title'],
    [{ ids, patch: { schedule: 'daily' } }, 'patch.schedule'],
    [{ ids, patch: { schedule: {} } }, 'patch.schedule'],
    [{ ids, patch: null }, 'patch'],
    [{ ids, archive: true, dryRun: 'yes' }, 'dryRun'],
    [{ ids, archive: true, permanent: true }, 'permanent'],
  ];
  for (const [body, param] of faults) refused(await call('POST /todos/bulk', body), 400, param);
  const far = { todoListId: unknownId };
  refused(await call('POST /todos/bulk', { ids, patch: far }), 404, 'patch.todoListId');
  const who = { assignees: [{ id: unknownId }] };
  refused(await call('POST /todos/bulk', { ids, patch: who }), 404, 'patch.assignees[0].id');
  const { body: list } = await call('POST /todo-lists', { name: 'Closed' });
  await call(`PATCH /todo-lists/${list.id}`, { archived: true });
  const closed = { ids: [...ids, unknownId], patch: { todoListId: list.id } };
  refused(await call('POST /todos/bulk', closed), 400, 'patch.todoListId');
  assert.equal((await call(`GET /todos/${ids[2]}`)).body, todos[2]);
});

test.run();
