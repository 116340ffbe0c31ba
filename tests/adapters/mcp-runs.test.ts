import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, toolWorkspace } from '../support/mcp-clients.ts';
import {
  chatOf,
  count,
  endWork,
  type IdleService,
  spendAllMinutes,
  startIdleService,
} from '../support/run-fixtures.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('runs over mcp');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

async function world() {
  const workspace = await toolWorkspace(tandem);
  const { todo } = (await workspace.use('create_todo', { title: 'Water the plants' })).data;
  return { ...workspace, todo };
}

const addMessages = `insert into messages (workspace_id, id, chat_id, sequence, role, text, blocks)
  select $1, gen_random_uuid(), $2, n, 'agent', 'Message ' || n, '[]' from generate_series(2, $3::int) n`;

test('run_todo starts the agent of a name, and get_todo shows the run and its chat', async () => {
  const { use, call, agent, todo } = await world();
  const gardener = await agent('Gardener');
  const { isError, data } = await use('run_todo', { todoId: todo.id, agentId: 'gardener', message: 'Only the ferns.' });
  assert.is(isError, false);
  const { run, chatId } = data;
  assert.equal([run.agentId, run.status, run.trigger, run.chatId], [gardener, 'running', 'manual', chatId]);
  assert.is((await chatOf(tandem, chatId)).messages[0]?.text, 'Only the ferns.');
  const shown = (await use('get_todo', { todoId: todo.id })).data;
  assert.equal([shown.latestRun, shown.chatId, shown.todo.latestRun], [run, chatId, undefined]);
  assert.equal(Object.keys(shown), ['todo', 'latestRun', 'chatId']);
  assert.is((await call(`GET /todos/${todo.id}`)).body.latestRun.id, run.id);
});

test('a run whose chat was erased is shown still, without messages', async () => {
  const { use, call, todo } = await world();
  const { run, chatId } = (await use('run_todo', { todoId: todo.id })).data;
  assert.is((await call(`DELETE /chats/${chatId}?permanent=true`)).status, 200);
  const { isError, data } = await use('get_todo', { todoId: todo.id, afterSequence: 0 });
  assert.is(isError, false, JSON.stringify(data));
  assert.equal([data.latestRun.id, data.messages, data.hasMore], [run.id, [], false]);
});

test('what cannot run says why, as a result that a model can read', async () => {
  const { use, agent, workspaceId, todo } = await world();
  await agent('Twin');
  await agent('Twin of another name');
  const cases: [object, string, string | undefined][] = [
    [{ todoId: todo.id, agentId: 'Nobody' }, 'validation_failed', 'agentId'],
    [{ todoId: todo.id, agentId: unknownId }, 'resource_not_found', 'agentId'],
    [{ todoId: unknownId }, 'resource_not_found', 'todoId'],
    [{ todoId: todo.id, message: ' ' }, 'validation_failed', 'message'],
    [{ todoId: todo.id, wait: true }, 'validation_failed', 'wait'],
  ];
  for (const [input, code, param] of cases) {
    const { isError, data } = await use('run_todo', input);
    assert.equal([isError, data.code, data.param], [true, code, param]);
  }
  const { allowedValues } = (await use('run_todo', { todoId: todo.id, agentId: 'Nobody' })).data;
  assert.equal(allowedValues, ['Assistant', 'Twin', 'Twin of another name']);
  await use('run_todo', { todoId: todo.id });
  const again = await use('run_todo', { todoId: todo.id });
  assert.equal([again.isError, again.data.code], [true, 'resource_conflict']);
  await spendAllMinutes(tandem, workspaceId);
  const other = (await use('create_todo', { title: 'b' })).data.todo;
  const broke = await use('run_todo', { todoId: other.id });
  assert.equal([broke.isError, broke.data.code, broke.data.retryable], [true, 'insufficient_minutes', false]);
  assert.is(await count(tandem, 'todo_runs', workspaceId), 1);
});

test('create_todo with run and update_todo with an agent start it by its name', async () => {
  const { use, agent, todo } = await world();
  const gardener = await agent('Gardener');
  const assignees = [{ id: 'Gardener' }];
  const made = (await use('create_todo', { title: 'a', assignees, run: true })).data.todo;
  assert.equal([made.latestRun.agentId, made.latestRun.trigger], [gardener, 'create']);
  const assigned = (await use('update_todo', { todoId: todo.id, assignees })).data.todo;
  assert.equal([assigned.latestRun.agentId, assigned.latestRun.trigger], [gardener, 'assignment']);
  const refused = await use('create_todo', { title: 'a', run: true });
  assert.equal([refused.data.code, refused.data.param], ['validation_failed', 'run']);
});

test('get_todo collects the messages of the run after a sequence, ten at a time', async () => {
  const { use, workspaceId, todo } = await world();
  const none = (await use('get_todo', { todoId: todo.id, afterSequence: 4 })).data;
  assert.equal([none.messages, none.hasMore, none.nextSequence], [[], false, 4]);
  const { chatId } = (await use('run_todo', { todoId: todo.id })).data;
  await tandem.db.rows(addMessages, [workspaceId, chatId, 12]);
  const seen: number[] = [];
  let [afterSequence, hasMore] = [0, true];
  while (hasMore) {
    const { data } = await use('get_todo', { todoId: todo.id, afterSequence });
    seen.push(...data.messages.map((message: { sequence: number }) => message.sequence));
    [afterSequence, hasMore] = [data.nextSequence, data.hasMore];
    assert.equal([data.chatId, data.nextSequence], [chatId, seen.at(-1)]);
  }
  assert.equal(
    seen,
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  const { data: first } = await use('get_todo', { todoId: todo.id, afterSequence: 0 });
  assert.is(first.messages.length, 10);
  assert.equal(first.messages[0].blocks[0], {
    type: 'reference',
    resource: 'todo',
    resourceId: todo.id,
    title: 'Water the plants',
  });
  assert.equal((await use('get_todo', { todoId: todo.id, afterSequence: 12 })).data.messages, []);
  await endWork(tandem, workspaceId, chatId, { outcome: 'completed' });
  const next = (await use('run_todo', { todoId: todo.id })).data;
  const { data } = await use('get_todo', { todoId: todo.id, afterSequence: 0 });
  assert.equal([data.chatId, data.messages.length], [next.chatId, 1]);
  for (const wrong of [-1, 1.5, 2 ** 31, '0']) {
    assert.is((await use('get_todo', { todoId: todo.id, afterSequence: wrong })).data.param, 'afterSequence');
  }
});

test('run_todo needs todos:write alone, and get_todo shows messages only to who may read chats', async () => {
  const { mint, todo } = await world();
  const writer = await mint(['todos:write']);
  const { isError } = await callTool(tandem.url, writer, 'run_todo', { todoId: todo.id });
  assert.is(isError, false);
  const reader = await mint(['todos:read', 'todos:write']);
  const shown = await callTool(tandem.url, reader, 'get_todo', { todoId: todo.id, afterSequence: 0 });
  assert.is(shown.data.code, 'missing_scope');
  const without = await mint(['todos:read', 'chats:read']);
  assert.is((await callTool(tandem.url, without, 'run_todo', { todoId: todo.id })).data.code, 'missing_scope');
});

test('what belongs to another workspace reads as missing', async () => {
  const [mine, theirs] = [await world(), await world()];
  const foreign = await theirs.agent('Theirs');
  const cases = [
    [{ todoId: theirs.todo.id }, { todoId: unknownId }],
    [
      { todoId: mine.todo.id, agentId: foreign },
      { todoId: mine.todo.id, agentId: unknownId },
    ],
  ];
  for (const pair of cases) {
    const [stolen, unknown] = await Promise.all(pair.map((input) => mine.use('run_todo', input)));
    const { requestId: _, ...refusal } = stolen?.data ?? {};
    assert.equal({ ...refusal, requestId: unknown?.data.requestId }, unknown?.data);
    assert.is(refusal.code, 'resource_not_found');
  }
  assert.is((await mine.use('run_todo', { todoId: mine.todo.id, agentId: 'Theirs' })).data.code, 'validation_failed');
});

test.run();
