import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('todo lists');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a new workspace has one list, its default, first in the list of lists', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('GET /todo-lists');
  assert.is(status, 200);
  assert.is(body.data.length, 1);
  const { id, createdAt, updatedAt, ...rest } = body.data[0];
  assert.equal(rest, {
    object: 'todo_list',
    name: 'Inbox',
    emoji: null,
    color: null,
    isDefault: true,
    isArchived: false,
    todoCount: 0,
    activeTodoCount: 0,
  });
  assert.equal({ ...body, data: [] }, { object: 'list', data: [], hasMore: false, nextCursor: null });
});

test('a list is made with what the request says and is read back the same', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('POST /todo-lists', { name: ' Garden ', emoji: '🌱', color: '#3a7' });
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.is(updatedAt, createdAt);
  const shown = { name: ' Garden ', emoji: '🌱', color: '#3a7', isDefault: false, isArchived: false };
  assert.equal(rest, { object: 'todo_list', ...shown, todoCount: 0, activeTodoCount: 0 });
  assert.equal((await call(`GET /todo-lists/${id}`)).body, body);
  const { body: bare } = await call('POST /todo-lists', { name: 'Bare' });
  assert.equal([bare.emoji, bare.color], [null, null]);
  const { body: lists } = await call('GET /todo-lists');
  assert.equal(lists.data.slice(1), [body, bare]);
});

test('an update changes what it names; one that changes nothing leaves updatedAt', async () => {
  const { call } = await tandem.workspace();
  let { body: before } = await call('POST /todo-lists', { name: 'A', emoji: '🌱', color: 'green' });
  const route = `PATCH /todo-lists/${before.id}`;
  await tandem.db.rows(`update todo_lists set updated_at = '2020-01-01T00:00:00Z' where id = $1`, [before.id]);
  before = { ...before, updatedAt: '2020-01-01T00:00:00.000Z' };
  for (const same of [{}, { name: 'A' }, { emoji: '🌱', color: 'green', archived: false }]) {
    assert.equal((await call(route, same)).body, before);
  }
  for (const change of [
    { name: 'B' },
    { emoji: null },
    { emoji: '🐛' },
    { color: null },
    { color: 'red', name: 'C' },
  ]) {
    const { status, body } = await call(route, change);
    assert.is(status, 200);
    assert.equal(body, { ...before, ...change, updatedAt: body.updatedAt });
    assert.ok(body.updatedAt > '2026');
    before = body;
  }
});

test('an archived list leaves the list of lists, keeps its todos, and can be restored', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'A' });
  await call('POST /todos', { title: 'a', todoListId: list.id });
  const { body: archived } = await call(`PATCH /todo-lists/${list.id}`, { archived: true });
  assert.is(archived.isArchived, true);
  const { body: again } = await call(`PATCH /todo-lists/${list.id}`, { archived: true });
  assert.equal(again, archived);
  assert.is((await call('GET /todo-lists')).body.data.length, 1);
  assert.is((await call('GET /todo-lists?includeArchived=false')).body.data.length, 1);
  assert.equal((await call('GET /todo-lists?includeArchived=true')).body.data[1], archived);
  assert.equal((await call(`GET /todo-lists/${list.id}`)).body, archived);
  assert.is((await call(`GET /todos?todoListId=${list.id}`)).body.data.length, 1);
  const { body: restored } = await call(`PATCH /todo-lists/${list.id}`, { archived: false });
  assert.equal(restored, { ...list, todoCount: 1, activeTodoCount: 1, updatedAt: restored.updatedAt });
});

test('the default list can be renamed and neither archived nor deleted', async () => {
  const { call } = await tandem.workspace();
  const [{ id }] = (await call('GET /todo-lists')).body.data;
  const { status, body } = await call(`PATCH /todo-lists/${id}`, { name: 'Eingang', emoji: '📥', archived: false });
  assert.is(status, 200);
  assert.equal([body.name, body.emoji, body.isDefault], ['Eingang', '📥', true]);
  refused(await call(`PATCH /todo-lists/${id}`, { archived: true, name: 'x' }), 409, null);
  refused(await call(`DELETE /todo-lists/${id}`), 409, null);
  assert.equal((await call(`GET /todo-lists/${id}`)).body, body);
});

test('a list is deleted for good when it holds no todo, archived ones included', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'A' });
  const { body: todo } = await call('POST /todos', { title: 'a', todoListId: list.id });
  refused(await call(`DELETE /todo-lists/${list.id}`), 409, null);
  await call(`DELETE /todos/${todo.id}`);
  refused(await call(`DELETE /todo-lists/${list.id}`), 409, null);
  await call(`DELETE /todos/${todo.id}?permanent=true`);
  const { status, body } = await call(`DELETE /todo-lists/${list.id}`);
  assert.is(status, 200);
  assert.equal(body, { object: 'deleted', id: list.id, deleted: true, recoverable: false });
  refused(await call(`GET /todo-lists/${list.id}`), 404, 'todoListId');
  refused(await call(`DELETE /todo-lists/${list.id}`), 404, 'todoListId');
  refused(await call(`PATCH /todo-lists/${list.id}`, { archived: true }), 404, 'todoListId');
  refused(await call('POST /todos', { title: 'a', todoListId: list.id }), 404, 'todoListId');
});

test('counts follow todos made, moved, finished, archived, restored and erased', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'A' });
  const counts = async () => {
    const { data } = (await call('GET /todo-lists')).body;
    const { body: one } = await call(`GET /todo-lists/${list.id}`);
    assert.equal(one, data[1]);
    return data.map((each: typeof one) => [each.todoCount, each.activeTodoCount]);
  };
  const data = [{ title: 'a' }, { title: 'b' }, { title: 'c', todoListId: list.id }];
  const [a, b] = (await call('POST /todos/batch', { data })).body.data;
  assert.equal(await counts(), [
    [2, 2],
    [1, 1],
  ]);
  await call(`PATCH /todos/${a.id}`, { todoListId: list.id });
  assert.equal(await counts(), [
    [1, 1],
    [2, 2],
  ]);
  await call(`PATCH /todos/${a.id}`, { status: 'done' });
  await call(`PATCH /todos/${b.id}`, { status: 'in_progress' });
  assert.equal(await counts(), [
    [1, 1],
    [2, 1],
  ]);
  await call(`DELETE /todos/${a.id}`);
  assert.equal(await counts(), [
    [1, 1],
    [1, 1],
  ]);
  await call(`POST /todos/${a.id}/restore`);
  assert.equal(await counts(), [
    [1, 1],
    [2, 1],
  ]);
  await call(`DELETE /todos/${a.id}?permanent=true`);
  assert.equal(await counts(), [
    [1, 1],
    [1, 1],
  ]);
});

test('an emoji is one grapheme, whatever it is made of', async () => {
  const { call } = await tandem.workspace();
  const one = [
    '😀',
    '❤',
    '❤️',
    '👍🏽',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🇨🇭',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '1️⃣',
    '#⃣',
    '©️',
    '🧑🏿‍🚀',
    'A',
    '中',
    'e\u0301',
    '★',
  ];
  for (const emoji of one) {
    const { status, body } = await call('POST /todo-lists', { name: 'A', emoji });
    assert.is(status, 201, emoji);
    assert.is(body.emoji, emoji);
  }
  const { body: list } = await call('POST /todo-lists', { name: 'A' });
  const none = ['', ' ', '\u200d', '\ufe0f', '👍👍', '🇨🇭🇨🇭', '👍a', ' 👍', 'ab', ':smile:', 7];
  for (const emoji of [...none, `👍${'\u0301'.repeat(32)}`]) {
    refused(await call('POST /todo-lists', { name: 'A', emoji }), 400, 'emoji');
    refused(await call(`PATCH /todo-lists/${list.id}`, { emoji }), 400, 'emoji');
  }
});

test('names and colours say something, within their lengths in code points', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: '🦀'.repeat(100), color: '🦀'.repeat(32) });
  assert.equal([list.name, list.color], ['🦀'.repeat(100), '🦀'.repeat(32)]);
  assert.is((await call('POST /todos', { title: 'a', todoListName: list.name })).body.todoListId, list.id);
  const faults: [Record<string, unknown>, string][] = [
    [{ name: '' }, 'name'],
    [{ name: '\u00a0\n' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ name: null }, 'name'],
    [{ color: '' }, 'color'],
    [{ color: 'x'.repeat(33) }, 'color'],
    [{ color: 5 }, 'color'],
    [{ isDefault: true }, 'isDefault'],
  ];
  for (const [fault, param] of faults) {
    refused(await call('POST /todo-lists', { name: 'A', ...fault }), 400, param);
    refused(await call(`PATCH /todo-lists/${list.id}`, fault), 400, param);
  }
  refused(await call('POST /todo-lists', {}), 400, 'name');
  refused(await call('POST /todo-lists', { name: 'A', archived: true }), 400, 'archived');
  refused(await call('GET /todo-lists?includeArchived=1'), 400, 'includeArchived');
  assert.is((await call('GET /todo-lists?colour=red')).status, 200);
  assert.is((await call('GET /todo-lists')).body.data.length, 2);
});

test('a list of another workspace is not found, and is not changed', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: foreign } = await other.call('POST /todo-lists', { name: 'Theirs' });
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    const answers = [foreign.id, unknownId].map((id) => call(`${method} /todo-lists/${id}`, body));
    const [theirs, nobodys] = await Promise.all(answers);
    for (const answer of await Promise.all(answers)) refused(answer, 404, 'todoListId');
    assert.equal({ ...theirs?.body, requestId: '' }, { ...nobodys?.body, requestId: '' });
    refused(await call(`${method} /todo-lists/x`, body), 400, 'todoListId');
  }
  assert.is((await call(`GET /todos?todoListId=${foreign.id}`)).body.data.length, 0);
  assert.equal((await other.call(`GET /todo-lists/${foreign.id}`)).body, foreign);
});

test('a workspace has at most 1,000 lists, archived ones too, also where many are created at the same time', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const fill = `insert into todo_lists (workspace_id, id, name, archived_at)
    select $1, gen_random_uuid(), n::text, now() from generate_series(1, 997) n`;
  await tandem.db.rows(fill, [workspaceId]);
  const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => call('POST /todo-lists', { name: `n${n}` })));
  assert.equal(answers.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  for (const answer of answers.filter(({ status }) => status !== 201)) refused(answer, 409, null);
  assert.is((await call('GET /todo-lists?includeArchived=true')).body.data.length, 1000);
});

test.run();
