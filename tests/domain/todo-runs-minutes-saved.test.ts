import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { estimateFacts, setMinutesSaved } from '../../domain/todos/minutes-saved.ts';
import type { TestWorkspace } from '../support/harness.ts';
import {
  asAgent,
  chatOf,
  chatOn,
  endWork,
  type IdleService,
  runIn,
  startIdleService,
  todoOf,
} from '../support/run-fixtures.ts';
import { assistantOf } from '../support/todo-fixtures.ts';

const test = suite('minutes saved by agents');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

const todoIn = async ({ call }: Pick<TestWorkspace, 'call'>, id: string) => (await call(`GET /todos/${id}`)).body;
const estimatesOf = async (id: string) => (await tandem.digests(id)).filter(({ kind }) => kind === 'minutes_saved');

async function running(workspace: TestWorkspace) {
  const todo = await todoOf(workspace);
  return { todo, run: runIn(await workspace.call(`POST /todos/${todo.id}/runs`)) };
}

test('minutes saved are asked for when a todo becomes done after agent work, and for no other', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const finish = (id: string) => call(`PATCH /todos/${id}`, { status: 'done' });
  const [plain, chatted] = [await todoOf(workspace), await todoOf(workspace)];
  await finish(plain.id);
  const chat = await chatOn(tandem, workspace, chatted.id, await assistantOf(tandem, workspaceId));
  await finish(chatted.id);
  assert.equal([await estimatesOf(plain.id), await estimatesOf(chatted.id)], [[], []]);
  await call(`PATCH /todos/${chatted.id}`, { status: 'ready' });
  const at = { ...chat, agentId: await assistantOf(tandem, workspaceId), todoId: chatted.id };
  await asAgent(tandem, workspace, at)('complete_todo', { todoId: chatted.id });
  assert.equal(await estimatesOf(chatted.id), [{ kind: 'minutes_saved', workspaceId, id: chatted.id }]);

  const { todo } = await running(workspace);
  const worked = [{ kind: 'minutes_saved', workspaceId, id: todo.id }];
  await finish(todo.id);
  assert.equal(await estimatesOf(todo.id), worked);
  await finish(todo.id);
  assert.equal(await estimatesOf(todo.id), worked, 'it was done already');
  const both = await running(workspace);
  await call('POST /todos/bulk', { ids: [plain.id, both.todo.id, todo.id], patch: { status: 'done' } });
  const asked = [both.todo.id, plain.id, todo.id].map(estimatesOf);
  assert.equal(
    (await Promise.all(asked)).map(({ length }) => length),
    [1, 0, 1],
  );
});

test('a run that is cancelled after its agent completed the todo asks as well', async () => {
  const workspace = await tandem.workspace();
  const { todo, run } = await running(workspace);
  const [turn] = (await chatOf(tandem, run.chatId)).turns;
  const at = { chatId: run.chatId, turnId: String(turn?.id), agentId: run.agentId ?? '', todoId: todo.id };
  await asAgent(tandem, workspace, at)('complete_todo', { todoId: todo.id });
  // What is asked for while the agent is at work is dropped: the end of the run asks again.
  await tandem.db.rows('delete from digests where subject_id = $1', [todo.id]);
  assert.is((await workspace.call(`POST /chats/${run.chatId}/cancel`)).status, 200);
  assert.is((await estimatesOf(todo.id)).length, 1);
});

test('an estimate is kept once and only on a todo that is done; reopening keeps it and asks for no other', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { todo } = await running(workspace);
  const estimate = { minutes: 12, reason: 'Two letters written.', confidence: 'low' as const };
  assert.is(
    await setMinutesSaved(tandem, { workspaceId, todoId: todo.id, ...estimate }),
    false,
    'not while it is open',
  );
  await call(`PATCH /todos/${todo.id}`, { status: 'done' });
  assert.is(await setMinutesSaved(tandem, { workspaceId, todoId: todo.id, ...estimate }), true);
  assert.is(await setMinutesSaved(tandem, { workspaceId, todoId: todo.id, ...estimate, minutes: 99 }), false);
  for (const status of ['done', 'ready', 'done']) {
    await call(`PATCH /todos/${todo.id}`, { status });
    const shown = await todoIn(workspace, todo.id);
    assert.equal(
      [shown.minutesSaved, shown.minutesSavedReason, shown.minutesSavedConfidence],
      [12, 'Two letters written.', 'low'],
    );
  }
  assert.is((await estimatesOf(todo.id)).length, 1);
  assert.is((await call('GET /todos/summary')).body.minutesSaved, 12);
  assert.is(await estimateFacts(tandem, { workspaceId, todoId: todo.id }), undefined);
});

test('the facts for an estimate are the todo, its runs and what happened in its chats', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todo = await todoOf(workspace, { title: 'Write', content: 'Two letters' });
  const first = runIn(await call(`POST /todos/${todo.id}/runs`));
  const insert = `insert into messages (workspace_id, id, chat_id, sequence, role, text, blocks)
    values ($1, gen_random_uuid(), $2, $3, 'agent', '', $4)`;
  const calls = [{ type: 'tool_call' }, { type: 'text', text: 'a' }, { type: 'tool_call' }];
  await tandem.db.rows(insert, [workspaceId, first.chatId, 2, JSON.stringify(calls)]);
  await endWork(tandem, workspaceId, first.chatId, { outcome: 'completed', summary: 'Both are written.' });
  const end = `select (started_at + interval '90 seconds')::text as instant from todo_runs where id = $1`;
  const [{ instant } = {}] = await tandem.db.rows<{ instant: string }>(end, [first.id]);
  const times = 'update todo_runs set minutes_used = 1.5, finished_at = $2 where id = $1';
  await tandem.db.rows(times, [first.id, instant]);
  runIn(await call(`POST /todos/${todo.id}/runs`));
  assert.is(await estimateFacts(tandem, { workspaceId, todoId: todo.id }), undefined, 'it is not done');
  await call(`PATCH /todos/${todo.id}`, { status: 'done' });
  const facts = await estimateFacts(tandem, { workspaceId, todoId: todo.id });
  assert.equal(facts, {
    title: 'Write',
    content: 'Two letters',
    runs: [
      { status: 'cancelled', minutesUsed: 0, summary: null, seconds: facts?.runs[0]?.seconds },
      { status: 'completed', minutesUsed: 1.5, summary: 'Both are written.', seconds: 90 },
    ],
    messages: 3,
    toolCalls: 2,
  });
  assert.type(facts?.runs[0]?.seconds, 'number');
  const other = await tandem.workspace();
  assert.is(await estimateFacts(tandem, { workspaceId: other.workspaceId, todoId: todo.id }), undefined);
});

test.run();
