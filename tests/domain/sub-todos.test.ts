import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { brief, recordedEvents } from '../support/recorded-events.ts';
import { refused, titlesOf, unknownId } from '../support/todo-fixtures.ts';

const test = suite('sub-todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Call = Awaited<ReturnType<TestService['workspace']>>['call'];

async function create(call: Call, title: string, more: object = {}) {
  const { status, body } = await call('POST /todos', { title, ...more });
  assert.is(status, 201, JSON.stringify(body));
  return body;
}

const countsOf = async (call: Call, id: string) => {
  const { body } = await call(`GET /todos/${id}`);
  return [body.subTodoCount, body.doneSubTodoCount];
};

test('a sub-todo names its parent, is in its list, and is counted by it', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'Garden' });
  const parent = await create(call, 'Plant a hedge', { todoListId: list.id });
  assert.equal([parent.parentTodoId, parent.subTodoCount, parent.doneSubTodoCount], [null, 0, 0]);
  const first = await create(call, 'Buy plants', { parentTodoId: parent.id.toUpperCase() });
  assert.equal([first.parentTodoId, first.todoListId], [parent.id, list.id]);
  const { body: lists } = await call('GET /todo-lists');
  const inbox = lists.data.find((each: { isDefault: boolean }) => each.isDefault);
  const second = await create(call, 'Dig', { parentTodoId: parent.id, todoListId: inbox.id });
  assert.is(second.todoListId, inbox.id);
  await call(`PATCH /todos/${first.id}`, { status: 'done' });
  assert.equal(await countsOf(call, parent.id), [2, 1]);
  await call(`DELETE /todos/${second.id}`);
  assert.equal(await countsOf(call, parent.id), [1, 1]);
});

test('lists filter by parent and by whether there is one', async () => {
  const { call } = await tandem.workspace();
  const parent = await create(call, 'parent');
  await create(call, 'child', { parentTodoId: parent.id });
  await create(call, 'alone');
  assert.equal(titlesOf(await call(`GET /todos?parentTodoId=${parent.id}`)), ['child']);
  assert.equal(titlesOf(await call('GET /todos?hasParent=true')), ['child']);
  assert.equal(titlesOf(await call('GET /todos?hasParent=false')), ['alone', 'parent']);
  assert.is((await call(`GET /todos/summary?parentTodoId=${parent.id}`)).body.total, 1);
  assert.equal(titlesOf(await call(`GET /todos?parentTodoId=${unknownId}`)), []);
});

test('a todo becomes a sub-todo, moves to another parent and is taken out; a repeated change is none', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const [one, two, child] = [await create(call, 'one'), await create(call, 'two'), await create(call, 'child')];
  const set = (parentTodoId: string | null) => call(`PATCH /todos/${child.id}`, { parentTodoId });
  const { body: made } = await set(one.id);
  assert.equal([made.parentTodoId, made.version], [one.id, 2]);
  const { body: again } = await set(one.id);
  assert.equal(again, made);
  assert.is((await set(two.id)).body.parentTodoId, two.id);
  assert.equal(
    [await countsOf(call, one.id), await countsOf(call, two.id)],
    [
      [0, 0],
      [1, 0],
    ],
  );
  const { body: out } = await set(null);
  assert.equal([out.parentTodoId, out.version], [null, 4]);
  const changes = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo.updated');
  assert.equal(changes.map(brief), Array(3).fill(['todo.updated', child.id, 'parentTodoId']));
  assert.equal(
    changes.map(({ parents }) => parents.parentTodoId),
    [one.id, two.id, undefined],
  );
});

test('there is one level: neither a sub-todo nor a todo with sub-todos goes below another', async () => {
  const { call } = await tandem.workspace();
  const parent = await create(call, 'parent');
  const child = await create(call, 'child', { parentTodoId: parent.id });
  const other = await create(call, 'other');
  refused(await call('POST /todos', { title: 'x', parentTodoId: child.id }), 400, 'parentTodoId');
  refused(await call(`PATCH /todos/${other.id}`, { parentTodoId: child.id }), 400, 'parentTodoId');
  refused(await call(`PATCH /todos/${parent.id}`, { parentTodoId: other.id }), 400, 'parentTodoId');
  refused(await call(`PATCH /todos/${other.id}`, { parentTodoId: other.id }), 400, 'parentTodoId');
  const bulk = await call('POST /todos/bulk', { ids: [other.id, parent.id], patch: { parentTodoId: other.id } });
  refused(bulk, 400, 'patch.parentTodoId');
  assert.is((await call(`GET /todos/${parent.id}`)).body.parentTodoId, null);
});

test('a parent exists in the workspace and is neither archived nor full', async () => {
  const { call } = await tandem.workspace();
  const stranger = await create((await tandem.workspace()).call, 'stranger');
  for (const parentTodoId of [unknownId, stranger.id]) {
    refused(await call('POST /todos', { title: 'x', parentTodoId }), 404, 'parentTodoId');
    const batch = { data: [{ title: 'x' }, { title: 'y', parentTodoId }] };
    refused(await call('POST /todos/batch', batch), 404, 'data[1].parentTodoId');
    const { id } = await create(call, 'mine');
    refused(await call(`PATCH /todos/${id}`, { parentTodoId }), 404, 'parentTodoId');
  }
  const parent = await create(call, 'parent');
  const data = Array.from({ length: 50 }, () => ({ title: 'x', parentTodoId: parent.id }));
  for (let round = 0; round < 4; round++) assert.is((await call('POST /todos/batch', { data })).status, 200);
  refused(await call('POST /todos', { title: 'x', parentTodoId: parent.id }), 400, 'parentTodoId');
  const archived = await create(call, 'archived');
  await call(`DELETE /todos/${archived.id}`);
  refused(await call('POST /todos', { title: 'x', parentTodoId: archived.id }), 400, 'parentTodoId');
});

test('a batch creates a todo with its sub-todos, once however often it is sent', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'Plans' });
  const id = newId();
  const data = [
    { title: 'step', parentTodoId: id },
    { title: 'plan', id, todoListName: 'Plans' },
  ];
  const { body } = await call('POST /todos/batch', { data });
  assert.equal(
    body.data.map((todo: Record<string, unknown>) => [
      todo.title,
      todo.parentTodoId,
      todo.todoListId,
      todo.subTodoCount,
    ]),
    [
      ['step', id, list.id, 0],
      ['plan', null, list.id, 1],
    ],
  );
  const again = await call('POST /todos/batch', { data: data.slice(1) });
  assert.equal(again.body.data, body.data.slice(1));
  const step = { ...data[0], id: newId() };
  const deep = [step, { title: 'deeper', parentTodoId: step.id }];
  refused(await call('POST /todos/batch', { data: deep }), 400, 'data[1].parentTodoId');
});

test('a todo is archived and restored with its sub-todos; one archived before stays archived', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const parent = await create(call, 'parent');
  const [open, done, gone] = [
    await create(call, 'open', { parentTodoId: parent.id }),
    await create(call, 'done', { parentTodoId: parent.id }),
    await create(call, 'gone', { parentTodoId: parent.id }),
  ];
  await call(`PATCH /todos/${done.id}`, { status: 'done' });
  await call(`DELETE /todos/${gone.id}`);
  const archivedOf = async () =>
    Promise.all([open, done, gone].map(async ({ id }) => (await call(`GET /todos/${id}`)).body.isArchived));
  for (const archive of [
    () => call(`DELETE /todos/${parent.id}`),
    () => call('POST /todos/bulk', { ids: [parent.id], archive: true }),
  ]) {
    assert.is((await archive()).status, 200);
    assert.equal(await archivedOf(), [true, true, true]);
    assert.equal(titlesOf(await call('GET /todos')), []);
    const events = (await recordedEvents(tandem, workspaceId)).slice(-3);
    assert.equal(new Set(events.map(({ type }) => type)), new Set(['todo.archived']));
    assert.equal(new Set(events.map(({ objectId }) => objectId)), new Set([parent.id, open.id, done.id]));
    const { body: back } = await call(`POST /todos/${parent.id}/restore`);
    assert.equal([back.isArchived, back.subTodoCount], [false, 2]);
    assert.equal(await archivedOf(), [false, false, true]);
  }
});

test('an erased todo is erased with its sub-todos, unless an agent has run one of them', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const parent = await create(call, 'parent');
  const child = await create(call, 'child', { parentTodoId: parent.id });
  const archived = await create(call, 'archived', { parentTodoId: parent.id });
  await call(`DELETE /todos/${archived.id}`);
  const { body: run } = await call(`POST /todos/${child.id}/runs`, {});
  assert.ok(run.chatId, JSON.stringify(run));
  refused(await call(`DELETE /todos/${parent.id}?permanent=true`), 409, null);
  await call(`PATCH /todos/${child.id}`, { parentTodoId: null });
  assert.is((await call(`DELETE /todos/${parent.id}?permanent=true`)).status, 200);
  refused(await call(`GET /todos/${archived.id}`), 404, 'todoId');
  assert.is((await call(`GET /todos/${child.id}`)).status, 200);
  const deleted = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo.deleted');
  assert.equal(new Set(deleted.map(({ objectId }) => objectId)), new Set([parent.id, archived.id]));
});

test('changed together, a todo counts its sub-todos as they are after the change', async () => {
  const { call } = await tandem.workspace();
  const parent = await create(call, 'parent');
  const child = await create(call, 'child', { parentTodoId: parent.id });
  for (const [status, done] of [
    ['done', 1],
    ['ready', 0],
  ] as const) {
    const { body } = await call('POST /todos/bulk', { ids: [parent.id, child.id], patch: { status } });
    assert.is(body.data[0].doneSubTodoCount, done);
  }
  const { body } = await call('POST /todos/bulk', { ids: [parent.id, child.id], patch: { parentTodoId: null } });
  assert.is(body.data[0].subTodoCount, 0);
});

test('concurrent changes make no second level', async () => {
  const { call } = await tandem.workspace();
  for (let round = 0; round < 10; round++) {
    const [a, b, c] = [await create(call, 'a'), await create(call, 'b'), await create(call, 'c')];
    const answers = await Promise.all([
      call(`PATCH /todos/${a.id}`, { parentTodoId: b.id }),
      call(`PATCH /todos/${b.id}`, { parentTodoId: c.id }),
      call(`PATCH /todos/${c.id}`, { parentTodoId: a.id }),
      call('POST /todos', { title: 'd', parentTodoId: a.id }),
    ]);
    assert.ok(
      answers.every(({ status }) => [200, 201, 400].includes(status)),
      JSON.stringify(answers),
    );
    const { body } = await call('GET /todos?limit=100');
    const parents = new Map<string, string | null>(
      body.data.map((todo: { id: string; parentTodoId: string | null }) => [todo.id, todo.parentTodoId]),
    );
    for (const parent of parents.values()) {
      if (parent !== null) assert.is(parents.get(parent), null);
    }
    assert.ok([...parents.values()].some((parent) => parent !== null));
  }
});

test.run();
