import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestWorkspace } from '../support/harness.ts';
import {
  asAgent,
  chatOf,
  chatOn,
  count,
  endWork,
  type IdleService,
  runIn,
  startIdleService,
  todoOf,
} from '../support/run-fixtures.ts';
import { addAgent } from '../support/todo-fixtures.ts';

const test = suite('agents that work on todos');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

const todoIn = async ({ call }: Pick<TestWorkspace, 'call'>, id: string) => (await call(`GET /todos/${id}`)).body;

async function running(workspace: TestWorkspace) {
  const todo = await todoOf(workspace);
  return { todo, run: runIn(await workspace.call(`POST /todos/${todo.id}/runs`)) };
}

/** A run with the tools of the agent at work on it. */
async function atWork(workspace: TestWorkspace, depth = 0) {
  const { todo, run } = await running(workspace);
  const { turns } = await chatOf(tandem, run.chatId);
  const agentId = run.agentId ?? '';
  const at = { agentId, turnId: String(turns[0]?.id), chatId: run.chatId, todoId: todo.id, depth };
  return { todo, run, agentId, use: asAgent(tandem, workspace, at) };
}

test('an agent that completes its own todo continues to its last word, and others on it stop', async () => {
  const workspace = await tandem.workspace();
  const { todo, run, use } = await atWork(workspace);
  const other = await chatOn(tandem, workspace, todo.id, await addAgent(tandem, workspace.workspaceId, 'Cook'));
  await use('complete_todo', { todoId: todo.id });
  assert.is((await chatOf(tandem, run.chatId)).chat?.status, 'running');
  assert.is((await chatOf(tandem, other.chatId)).chat?.status, 'cancelled');
  const shown = await todoIn(workspace, todo.id);
  assert.equal([shown.status, shown.latestRun.status], ['done', 'running']);
  await endWork(tandem, workspace.workspaceId, run.chatId, { outcome: 'completed', summary: 'Done.' });
  const after = await todoIn(workspace, todo.id);
  assert.equal([after.status, after.latestRun.status, after.latestRun.summary], ['done', 'completed', 'Done.']);
});

test('what an agent creates says so and is for the person behind it', async () => {
  const workspace = await tandem.workspace();
  const { use } = await atWork(workspace);
  const { todo } = await use('create_todo', { title: 'Buy soil' });
  assert.equal([todo.source, todo.assignees[0].id], ['agent_created', workspace.userId]);
  const { todoListName, ...own } = todo;
  assert.is(todoListName, 'Inbox');
  const { version, position: _, ...shown } = await todoIn(workspace, todo.id);
  // A tool answers with counts only where there are sub-todos.
  assert.equal([{ ...shown, subTodoCount: null, doneSubTodoCount: null }, version], [own, 1]);
});

test('an agent comments on a todo as itself, and reads what people wrote there', async () => {
  const workspace = await tandem.workspace();
  const { todo, use, agentId } = await atWork(workspace);
  await workspace.call(`POST /todos/${todo.id}/comments`, { text: 'Rain is coming.' });
  const shown = await use('update_todo', { todoId: todo.id, comment: 'Watered **half** of them.', priority: 'low' });
  assert.is(shown.todo.priority, 'low');
  const { body } = await workspace.call(`GET /todos/${todo.id}/comments`);
  const written = body.data.map((each: { author: { type: string; id: string }; text: string }) => [
    each.author.type,
    each.author.id,
    each.text,
  ]);
  assert.equal(written, [
    ['user', workspace.userId, 'Rain is coming.'],
    ['agent', agentId, 'Watered **half** of them.'],
  ]);
  const { comments } = await use('get_todo', { todoId: todo.id });
  assert.equal(
    comments.map(({ author, text }: { author: string; text: string }) => [author, text]),
    [
      ['Tess', 'Rain is coming.'],
      ['Assistant', 'Watered **half** of them.'],
    ],
  );
  await use('update_todo', { todoId: todo.id, comment: 'Only this.' });
  assert.is((await workspace.call(`GET /todos/${todo.id}/comments`)).body.data.length, 3);
});

test('a run that an agent starts is one step further from the person, and the agent is who asks', async () => {
  const workspace = await tandem.workspace();
  const cook = await addAgent(tandem, workspace.workspaceId, 'Cook');
  const { use, agentId } = await atWork(workspace);
  const { id } = await todoOf(workspace);
  const { run } = await use('run_todo', { todoId: id, agentId: 'cook', message: 'Please.' });
  const { messages, turns } = await chatOf(tandem, run.chatId);
  assert.equal([messages[0]?.role, messages[0]?.agent_id, messages[0]?.user_id], ['user', agentId, null]);
  assert.equal([turns[0]?.depth, turns[0]?.user_id, turns[0]?.agent_id], [1, workspace.userId, cook]);
});

test('an agent that assigns itself to the todo it is at work on is not started a second time', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const cook = await addAgent(tandem, workspaceId, 'Cook');
  const gardener = await addAgent(tandem, workspaceId, 'Gardener');
  const { id: todoId } = await todoOf(workspace);
  const chat = await chatOn(tandem, workspace, todoId, cook);
  const use = asAgent(tandem, workspace, { ...chat, agentId: cook, todoId });
  assert.is((await use('update_todo', { todoId, assignees: [{ id: cook }] })).todo.latestRun, null);
  const { todo } = await use('update_todo', { todoId, assignees: [{ id: cook }, { id: gardener }] });
  assert.is(todo.latestRun.agentId, gardener);
});

test('agents that start each other come to an end, and what was refused leaves nothing behind', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  await addAgent(tandem, workspaceId, 'Cook');
  const { use } = await atWork(workspace, 3);
  const { id, title } = await todoOf(workspace);
  const counts = async () => [
    await count(tandem, 'todo_runs', workspaceId),
    await count(tandem, 'chats', workspaceId),
    (await call('GET /todos/summary')).body.total,
  ];
  const before = await counts();
  for (const [name, input] of [
    ['run_todo', { todoId: id }],
    ['create_todo', { title: 'a', assignees: [{ id: 'Cook' }], run: true }],
    ['update_todo', { todoId: id, title: 'changed', assignees: [{ id: 'Cook' }] }],
  ] as const) {
    const problem = await use(name, input).catch((error: { problem?: { status: number } }) => error.problem);
    assert.is(problem?.status, 409, name);
  }
  assert.equal(await counts(), before);
  assert.is((await todoIn(workspace, id)).title, title);
});

test.run();
