import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { numbered } from '../support/event-log.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { toolWorkspace } from '../support/mcp-clients.ts';

const test = suite('mcp tools');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

test('a todo is created, found, changed, completed, reopened, archived and brought back', async () => {
  const { use, userId, call } = await world();
  const { data: made } = await use('create_todo', { title: 'Buy milk', priority: 'high', dueDate: '2026-03-01' });
  const { id, createdAt, updatedAt, todoListId, ...todo } = made.todo;
  assert.equal(todo, {
    object: 'todo',
    title: 'Buy milk',
    status: 'ready',
    priority: 'high',
    type: 'task',
    dueDate: '2026-03-01',
    assignees: [{ object: 'todo_assignee', type: 'user', id: userId, name: 'Tess', isArchived: false }],
    labels: [],
    isArchived: false,
    isSuggested: false,
    source: 'user_created',
    upcomingRuns: [],
    todoListName: 'Inbox',
    url: `${tandem.url}/todos/${id}`,
  });
  assert.equal((await use('get_todo', { todoId: id })).data, { todo: made.todo });
  const changed = await use('update_todo', { todoId: id, title: 'Buy oat milk', priority: null, assignees: [] });
  assert.is(changed.data.todo.title, 'Buy oat milk');
  assert.is('priority' in changed.data.todo, false);
  assert.equal(changed.data.todo.assignees, []);
  for (const [name, field, value] of [
    ['complete_todo', 'status', 'done'],
    ['reopen_todo', 'status', 'ready'],
    ['archive_todo', 'isArchived', true],
    ['unarchive_todo', 'isArchived', false],
  ] as const) {
    const once = await use(name, { todoId: id });
    const twice = await use(name, { todoId: id });
    assert.is(once.data.todo[field], value, name);
    assert.equal(twice.data.todo, once.data.todo, name);
  }
  assert.equal((await use('archive_todo', { todoId: id })).data.alreadyArchived, false);
  assert.equal((await use('archive_todo', { todoId: id })).data.alreadyArchived, true);
  assert.is((await call(`GET /todos/${id}`)).body.isArchived, true);
  await use('update_todo', { todoId: id, status: 'in_progress' });
  assert.is((await use('reopen_todo', { todoId: id })).data.todo.status, 'in_progress');
});

test('an agent plans with sub-todos: it creates, finds and reads them', async () => {
  const { use } = await world();
  const { id } = (await use('create_todo', { title: 'Plant a hedge' })).data.todo;
  const step = (await use('create_todo', { title: 'Dig', parentTodoId: id })).data.todo;
  assert.is(step.parentTodoId, id);
  const other = (await use('create_todo', { title: 'Water' })).data.todo;
  assert.is((await use('update_todo', { todoId: other.id, parentTodoId: id })).data.todo.parentTodoId, id);
  await use('complete_todo', { todoId: step.id });
  const { data: rows } = (await use('list_todos', { parentTodoId: id, sort: 'position' })).data;
  assert.equal(
    rows.map(({ title, status }: Record<string, string>) => [title, status]),
    [
      ['Dig', 'done'],
      ['Water', 'ready'],
    ],
  );
  const { data: whole } = await use('get_todo', { todoId: id });
  assert.equal([whole.todo.subTodoCount, whole.todo.doneSubTodoCount], [2, 1]);
  assert.equal(whole.subTodos, [
    { id: step.id, title: 'Dig', status: 'done' },
    { id: other.id, title: 'Water', status: 'ready' },
  ]);
  const [row] = (await use('list_todos', { query: 'hedge' })).data.data;
  assert.equal([row.title, row.subTodoCount, row.doneSubTodoCount], ['Plant a hedge', 2, 1]);
  const out = (await use('update_todo', { todoId: other.id, clear: ['parentTodoId'] })).data.todo;
  assert.is('parentTodoId' in out, false);
});

test('a comment on a change that ends a schedule keeps no event from its number', async () => {
  const { use, call, workspaceId } = await world();
  const { id: other } = (await use('create_todo', { title: 'Buy milk' })).data.todo;
  const schedule = { every: 'day', at: '09:00' };
  const { todo } = (await use('create_todo', { title: 'Water the hedge', schedule })).data;
  const [{ id: ahead }] = (await call(`GET /todos/${todo.id}/occurrences`)).body.data;
  await call(`PATCH /todos/${todo.id}/occurrences/${ahead}`, { status: 'skipped' });
  const held = await hold('select 1 from members where workspace_id = $1 for update', [workspaceId]);
  const changing = use('update_todo', { todoId: todo.id, clear: ['schedule'], comment: 'It has rained.' });
  await untilBlocked('insert into todo_comments%', changing);
  assert.is((await call(`PATCH /todos/${other}`, { title: 'Buy oat milk' })).status, 200);
  await numbered(tandem, workspaceId);
  await held.release();
  assert.is((await changing).data.todo.schedule, undefined);
  assert.is((await call(`GET /todos/${todo.id}/comments`)).body.data.length, 1);
});

test('what a tool shows names the list of a todo, and the page where there is one', async () => {
  const { use, call, agent } = await world();
  const list = (await use('upsert_todo_list', { name: 'Groceries' })).data.todoList;
  assert.is(list.url, `${tandem.url}/lists/${list.id}`);
  const { id } = (await use('create_todo', { title: 'Eggs', todoListName: 'Groceries' })).data.todo;
  await use('create_todo', { title: 'Rent' });
  const { data } = (await use('list_todos', { sort: 'createdAt', order: 'asc' })).data;
  assert.equal(
    data.map((row: { title: string; todoListName: string; url: string }) => [row.title, row.todoListName]),
    [
      ['Eggs', 'Groceries'],
      ['Rent', 'Inbox'],
    ],
  );
  assert.is(data[0].url, `${tandem.url}/todos/${id}`);
  const scribe = await agent('Scribe');
  const { run, chatId } = (await use('run_todo', { todoId: id, agentId: scribe })).data;
  assert.is(run.url, `${tandem.url}/chats/${chatId}`);
  const { todo, latestRun } = (await use('get_todo', { todoId: id })).data;
  assert.equal([todo.todoListName, latestRun.url], ['Groceries', run.url]);
  assert.is('url' in (await call(`GET /todos/${id}`)).body, false);
  for (const name of ['complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo']) {
    assert.is((await use(name, { todoId: id })).data.todo.todoListName, 'Groceries', name);
  }
});

test('clear empties fields, null still does, and a field cannot be both given and cleared', async () => {
  const { use } = await world();
  const schedule = { every: 'day', at: '09:00' };
  const full = { title: 'a', content: 'b', priority: 'high', dueDate: '2026-03-01', schedule };
  const { id: todoId } = (await use('create_todo', full)).data.todo;
  const fields = ['content', 'priority', 'dueDate', 'rrule'];
  const left = (todo: object) => fields.filter((field) => field in todo);
  const once = await use('update_todo', { todoId, clear: ['priority', 'schedule'] });
  assert.equal(left(once.data.todo), ['content', 'dueDate']);
  const twice = await use('update_todo', { todoId, clear: ['content'], dueDate: null });
  assert.equal(left(twice.data.todo), []);
  const both = await use('update_todo', { todoId, priority: 'low', clear: ['priority'] });
  assert.equal([both.data.code, both.data.param], ['validation_failed', 'clear[0]']);
  const unknown = await use('update_todo', { todoId, clear: ['title'] });
  assert.equal(unknown.data.allowedValues, ['content', 'priority', 'dueDate', 'parentTodoId', 'schedule']);
  const list = (await use('upsert_todo_list', { name: 'Home', emoji: '🏠', color: 'red' })).data.todoList;
  const plain = (await use('upsert_todo_list', { todoListId: list.id, clear: ['emoji', 'color'] })).data.todoList;
  assert.equal(
    ['emoji', 'color'].filter((field) => field in plain),
    [],
  );
});

test('names do for ids of lists, members and agents, ignoring case', async () => {
  const { use, call, agent, userId } = await world();
  const list = (await call('POST /todo-lists', { name: 'Groceries' })).body;
  const scribe = await agent('Scribe');
  const assignees = [{ id: 'scribe' }, { id: 'TESS', type: 'user' }];
  const { data } = await use('create_todo', { title: 'Eggs', todoListId: 'groceries', assignees });
  assert.is(data.todo.todoListId, list.id);
  assert.equal(
    data.todo.assignees.map((each: { id: string }) => each.id),
    [scribe, userId],
  );
  assert.is((await use('list_todos', { todoListId: 'GROCERIES' })).data.summary.total, 1);
  assert.is((await use('list_todos', { assigneeId: 'Scribe' })).data.summary.total, 1);
  assert.is((await use('list_todos', { assigneeId: scribe.toUpperCase() })).data.summary.total, 1);
  const moved = await use('update_todo', { todoId: data.todo.id, todoListId: 'Inbox', assignees: [{ id: 'Tess' }] });
  assert.is.not(moved.data.todo.todoListId, list.id);
});

test('a name that nothing or several things have is refused with what there is', async () => {
  const { use, call } = await world();
  const twins = ['Twin', 'TWIN'].map((name) => call('POST /todo-lists', { name }));
  const ids = (await Promise.all(twins)).map(({ body }) => body.id);
  const unknown = await use('create_todo', { title: 'a', todoListId: 'Nowhere' });
  const { requestId, message, allowedValues, ...rest } = unknown.data;
  assert.equal(rest, { code: 'validation_failed', param: 'todoListId', retryable: false });
  assert.equal(new Set(allowedValues), new Set(['Inbox', 'Twin', 'TWIN']));
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.match(message, /No todo list has this name/);
  const several = await use('list_todos', { todoListId: 'twin' });
  assert.equal(new Set(several.data.allowedValues), new Set(ids));
  const nobody = await use('create_todo', { title: 'a', assignees: [{ id: 'Tess' }, { id: 'Nobody' }] });
  assert.is(nobody.data.param, 'assignees[1].id');
});

test('errors say what is at fault, and what would be right', async () => {
  const { use } = await world();
  const status = await use('list_todos', { status: 'open' });
  assert.is(status.isError, true);
  assert.is(status.data.param, 'status');
  assert.equal(status.data.allowedValues, ['ready', 'in_progress', 'done', 'active']);
  assert.equal(JSON.parse(status.text), status.data);
  const unknown = await use('complete_todo', { todoId: crypto.randomUUID(), note: 'x' });
  assert.is(unknown.data.param, 'note');
  assert.equal(unknown.data.allowedValues, ['todoId']);
  const both = await use('list_todos', { limit: 0, order: 'up' });
  assert.match(both.data.message, /limit/);
  assert.match(both.data.message, /order/);
  const missing = await use('get_todo', { todoId: crypto.randomUUID() });
  assert.is(missing.data.code, 'resource_not_found');
  assert.is(missing.data.param, 'todoId');
});

test('what belongs to another workspace reads as missing', async () => {
  const [mine, theirs] = [await world(), await world()];
  const { id } = (await theirs.call('POST /todos', { title: 'Theirs' })).body;
  const list = (await theirs.call('POST /todo-lists', { name: 'Theirs' })).body.id;
  for (const name of ['get_todo', 'update_todo', 'complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo']) {
    const answers = [await mine.use(name, { todoId: id }), await mine.use(name, { todoId: crypto.randomUUID() })];
    const [foreign, unknown] = answers.map(({ data: { requestId: _, ...rest } }) => rest);
    assert.is(foreign.code, 'resource_not_found', name);
    assert.equal(foreign, unknown);
  }
  assert.is((await mine.use('upsert_todo_list', { todoListId: list, name: 'Mine' })).data.code, 'resource_not_found');
  assert.is((await mine.use('create_todo', { title: 'a', todoListId: list })).data.code, 'resource_not_found');
  assert.is((await mine.use('upsert_todo_list', { todoListId: 'Theirs' })).data.code, 'validation_failed');
});

test.run();
