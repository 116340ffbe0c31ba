import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { toolWorkspace } from '../support/mcp-clients.ts';

const test = suite('mcp todo lists');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

test('a list is made once, however often and however spelt it is asked for', async () => {
  const { use } = await world();
  const asked = await Promise.all(
    ['Groceries', 'groceries', 'GROCERIES', 'Groceries'].map((name) => use('upsert_todo_list', { name, emoji: '🛒' })),
  );
  assert.is(asked.filter(({ data }) => data.created).length, 1);
  assert.is(new Set(asked.map(({ data }) => data.todoList.id)).size, 1);
  assert.is((await use('list_todo_lists')).data.data.length, 2);
});

test('a list is changed, archived and restored, by id or by name', async () => {
  const { use } = await world();
  const { todoList } = (await use('upsert_todo_list', { name: 'Garden', color: 'green' })).data;
  assert.is(todoList.color, 'green');
  assert.is('emoji' in todoList, false);
  const renamed = await use('upsert_todo_list', { todoListId: todoList.id, name: 'Yard', color: null });
  assert.is(renamed.data.todoList.name, 'Yard');
  assert.is('color' in renamed.data.todoList, false);
  const archived = await use('upsert_todo_list', { todoListId: 'yard', archived: true });
  assert.is(archived.data.todoList.isArchived, true);
  assert.is((await use('list_todo_lists')).data.data.length, 1);
  assert.is((await use('list_todo_lists', { includeArchived: true })).data.data.length, 2);
  const restored = await use('upsert_todo_list', { todoListId: 'YARD', archived: false });
  assert.equal(restored.data.todoList.isArchived, false);
});

test('by a name without an id it is the list of exactly that name, and none where several could be meant', async () => {
  const { use, call } = await world();
  const make = async (name: string) => (await call('POST /todo-lists', { name })).body.id;
  const [lower, exact] = [await make('home'), await make('Home')];
  const { todoList, created } = (await use('upsert_todo_list', { name: 'Home', archived: true })).data;
  assert.equal([todoList.id, created], [exact, false]);
  const twice = [await make('Work'), await make('work')];
  const refused = (await use('upsert_todo_list', { name: 'WORK', archived: true })).data;
  assert.equal([refused.code, refused.param, refused.allowedValues], ['validation_failed', 'todoListId', twice]);
  for (const id of [lower, ...twice]) assert.is((await call(`GET /todo-lists/${id}`)).body.isArchived, false);
  const again = [await make('Twice'), await make('Twice')];
  assert.equal((await use('upsert_todo_list', { name: 'Twice', emoji: '🛒' })).data.allowedValues, again);
});

test('what cannot be is refused', async () => {
  const { use } = await world();
  assert.is((await use('upsert_todo_list', { emoji: '🛒' })).data.param, 'name');
  assert.is((await use('upsert_todo_list', { name: ' ' })).data.param, 'name');
  assert.is((await use('upsert_todo_list', { todoListId: 'Inbox', archived: true })).data.code, 'resource_conflict');
});

test('many lists come in pages, the default one first, each once', async () => {
  const { use, call } = await world();
  for (let i = 0; i < 24; i++) await call('POST /todo-lists', { name: `List ${i} ${'x'.repeat(80)}` });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { data, text } = await use('list_todo_lists', { ...(cursor && { cursor }) });
    assert.ok(text.length / 4 <= 2000);
    seen.push(...data.data.map((list: { name: string }) => list.name.split(' x')[0]));
    cursor = data.nextCursor;
  } while (cursor);
  assert.equal(seen, ['Inbox', ...Array.from({ length: 24 }, (_, i) => `List ${i}`)]);
  const one = await use('list_todo_lists', { limit: 1 });
  assert.is(one.data.data[0].name, 'Inbox');
  const next = await use('list_todo_lists', { limit: 1, cursor: one.data.nextCursor });
  assert.is(next.data.data[0].name.split(' x')[0], 'List 0');
});

test.run();
