import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { addAgent, addMember, refused, unknownId } from '../support/todo-fixtures.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('duplicating todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a copy has the values of the todo, and nothing of what happened to it', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const agent = await addAgent(tandem, workspaceId, 'Scout');
  const list = bodyOf(await call('POST /todo-lists', { name: 'Finance' }), 201);
  const label = bodyOf(await call('POST /labels', { name: 'Quarter' }), 201);
  const values = {
    title: 'Write the report',
    content: '**Two** pages',
    priority: 'high',
    type: 'responsibility',
    todoListId: list.id,
    dueDate: '2030-01-02',
    labelIds: [label.id],
    assignees: [{ id: agent }, { id: 'me' }],
    schedule: { rrule: 'FREQ=DAILY' },
  };
  const made = bodyOf(await call('POST /todos', values), 201);
  bodyOf(await call('POST /todos', { title: 'part', parentTodoId: made.id }), 201);
  bodyOf(await call(`POST /todos/${made.id}/comments`, { text: 'Please.' }), 201);
  const todo = bodyOf(await call(`PATCH /todos/${made.id}`, { status: 'done' }));
  const copy = bodyOf(await call(`POST /todos/${made.id}/duplicate`), 201);
  const plain = bodyOf(await call('POST /todos', { title: 'plain' }), 201);
  const { title, content, priority, type, todoListId, dueDate, labels, assignees } = todo;
  const { id, position, createdAt, updatedAt } = copy;
  assert.equal(copy, {
    ...plain,
    ...{ id, position, createdAt, updatedAt },
    ...{ title, content, priority, type, todoListId, dueDate, labels, assignees },
  });
  assert.equal(bodyOf(await call(`GET /todos/${id}`)), copy);
  assert.equal(bodyOf(await call('GET /todos?query=report&status=ready')).data, [copy]);
  assert.equal(bodyOf(await call(`GET /todos/${made.id}`)), todo);
  assert.equal(bodyOf(await call(`GET /todos/${id}/comments`)).data, []);
});

test('what is archived or removed is left out of the copy of an archived todo', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const gone = [await addAgent(tandem, workspaceId, 'Old', true), await addMember(tandem, workspaceId, 'Left', true)];
  const list = bodyOf(await call('POST /todo-lists', { name: 'Closed' }), 201);
  const parent = bodyOf(await call('POST /todos', { title: 'whole', todoListId: list.id }), 201);
  const part = bodyOf(await call('POST /todos', { content: 'only a body', parentTodoId: parent.id }), 201);
  const beside = bodyOf(await call(`POST /todos/${part.id}/duplicate`), 201);
  assert.equal([beside.parentTodoId, beside.todoListId, beside.title], [parent.id, list.id, null]);
  const text = `insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
    values ($1, $2, 8, $3, null, now()), ($1, $2, 9, null, $4, now())`;
  await tandem.db.rows(text, [workspaceId, part.id, gone[1], gone[0]]);
  bodyOf(await call(`DELETE /todos/${parent.id}`));
  bodyOf(await call(`PATCH /todo-lists/${list.id}`, { archived: true }));
  const copy = bodyOf(await call(`POST /todos/${part.id}/duplicate`), 201);
  const plain = bodyOf(await call('POST /todos', { title: 'plain' }), 201);
  assert.equal(
    [copy.parentTodoId, copy.todoListId, copy.assignees, copy.content, copy.isArchived],
    [null, plain.todoListId, plain.assignees, 'only a body', false],
  );
});

test('the copy of a sub-todo that was restored alone has no parent', async () => {
  const { call } = await tandem.workspace();
  const parent = bodyOf(await call('POST /todos', { title: 'whole' }), 201);
  const part = bodyOf(await call('POST /todos', { title: 'part', parentTodoId: parent.id }), 201);
  bodyOf(await call(`DELETE /todos/${parent.id}`));
  bodyOf(await call(`POST /todos/${part.id}/restore`));
  const copy = bodyOf(await call(`POST /todos/${part.id}/duplicate`), 201);
  assert.equal([copy.parentTodoId, copy.title], [null, 'part']);
});

test('a retry with the same key returns the first copy, and every request without one makes another', async () => {
  const { call } = await tandem.workspace();
  const { id } = bodyOf(await call('POST /todos', { title: 'a' }), 201);
  const headers = { 'idempotency-key': 'copy' };
  const copies = [];
  for (const options of [{ headers }, { headers }, {}, {}]) {
    copies.push(bodyOf(await call(`POST /todos/${id}/duplicate`, undefined, options), 201).id);
  }
  assert.is(copies[0], copies[1]);
  assert.is(new Set([id, ...copies]).size, 4);
});

test('a todo of another workspace is not found, and one with the most sub-todos takes no copy', async () => {
  const { call } = await tandem.workspace();
  const other = await tandem.workspace();
  const { id } = bodyOf(await other.call('POST /todos', { title: 'theirs' }), 201);
  for (const each of [id, unknownId])
    refused(await call(`POST /todos/${each}/duplicate`), 404, 'todoId', 'resource_not_found');
  const parent = bodyOf(await call('POST /todos', { title: 'full' }), 201);
  const part = { title: 'part', parentTodoId: parent.id };
  for (let batch = 0; batch < 4; batch += 1) {
    bodyOf(await call('POST /todos/batch', { data: Array.from({ length: 50 }, () => part) }));
  }
  const [last] = bodyOf(await call(`GET /todos?parentTodoId=${parent.id}&limit=1`)).data;
  refused(await call(`POST /todos/${last.id}/duplicate`), 400, 'parentTodoId');
});

test.run();
