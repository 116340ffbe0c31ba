import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../../engine/engine.ts';
import { withRetries } from '../../engine/models/retry.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { reply, ScriptedEngine, use } from '../support/scripted-engine.ts';
import { agentOf, approvalOf, bodyOf, chatNow, endOfRun, held, startRun, todoNow } from '../support/work-fixtures.ts';

const test = suite('how long a turn may be active');
const engine = new ScriptedEngine();
const activeMs = 6000;
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine: withRetries(engine), turnLimits: { activeMs } });
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const todo = bodyOf(await workspace.call('POST /todos', { title: 'Water the plants' }), 201);
  return { workspace, todoId: todo.id };
}

/** How long the turn of a chat was active. */
async function spentMs(chatId: string): Promise<number> {
  const text = 'select active_ms as spent from chat_turns where chat_id = $1';
  return (await tandem.db.rows<{ spent: number }>(text, [chatId]))[0]?.spent ?? 0;
}

test('run: running → timed_out after too much active time, with its chat failed; it can be run again', async () => {
  const { workspace, todoId } = await world();
  const agentId = await agentOf(workspace);
  const busy = held(reply('Too late.'));
  const plan = engine.plan((request, asked) =>
    asked === 0 ? use(['create_todo', { title: 'Buy a can' }]) : busy.script(request),
  );
  const { chatId } = await startRun(workspace, todoId, plan, agentId);
  await busy.stopped();
  const run = await endOfRun(workspace, todoId);
  const spent = await spentMs(chatId);
  // The deadline is set just before the time is measured.
  assert.ok(spent > 0.95 * activeMs, `stopped after ${spent} ms, not before its time`);
  assert.equal([run.status, run.statusReason, run.summary], ['timed_out', null, null]);
  assert.match(run.errorMessage, /without an end and was stopped. What it did stays/);
  assert.is(run.minutesUsed, Math.ceil(spent / 6000) / 10);
  const chat = await chatNow(workspace, chatId);
  assert.equal([chat.status, chat.errorMessage], ['failed', run.errorMessage]);
  assert.is((await todoNow(workspace, todoId)).status, 'in_progress');
  assert.is((await workspace.call('GET /todos?query=can')).body.data.length, 1, 'what it did stays');
  await startRun(workspace, todoId, engine.plan([reply('Watered.')]), agentId);
  assert.is((await endOfRun(workspace, todoId)).status, 'completed');
});

test('steps add up: a turn of many short ones times out as well', async () => {
  const { workspace, todoId } = await world();
  const plan = engine.plan(async () => {
    await new Promise((resolve) => setTimeout(resolve, activeMs / 4));
    return use(['list_todos', { limit: 1 }]);
  });
  await startRun(workspace, todoId, plan, await agentOf(workspace));
  assert.is((await endOfRun(workspace, todoId)).status, 'timed_out');
});

test('waiting between the tries of an answer is not active time', async () => {
  const { workspace, todoId } = await world();
  const plan = engine.plan((_, asked) => {
    if (asked > 0) return reply('Watered.');
    throw new ModelFault('Come back later.', { retryable: true, retryAfterMs: activeMs + 500 });
  });
  const began = Date.now();
  await startRun(workspace, todoId, plan, await agentOf(workspace));
  const run = await endOfRun(workspace, todoId);
  assert.equal([run.status, run.minutesUsed], ['completed', 0.1], run.errorMessage);
  assert.ok(Date.now() - began > activeMs);
});

test('waiting for a place in a queue is not active time, however long it lasts', async () => {
  const { workspace, todoId } = await world();
  const plan = engine.plan(async ({ onPause, signal }) => {
    const goOn = onPause?.();
    await new Promise((resolve) => setTimeout(resolve, activeMs + 500));
    signal.throwIfAborted();
    goOn?.();
    return reply('Watered.');
  });
  await startRun(workspace, todoId, plan, await agentOf(workspace));
  const run = await endOfRun(workspace, todoId);
  assert.is(run.status, 'completed', run.errorMessage);
});

test('the time goes on after a pause', async () => {
  const { workspace, todoId } = await world();
  const busy = held(reply('Too late.'));
  const plan = engine.plan((request) => {
    request.onPause?.()();
    return busy.script(request);
  });
  await startRun(workspace, todoId, plan, await agentOf(workspace));
  await busy.stopped();
  assert.is((await endOfRun(workspace, todoId)).status, 'timed_out');
});

test('waiting for a person is not active time', async () => {
  const { workspace, todoId } = await world();
  const agentId = await agentOf(workspace, { requiresApproval: true });
  const plan = engine.plan([use(['create_todo', { title: 'Buy a can' }]), reply('Watered.')]);
  const { chatId } = await startRun(workspace, todoId, plan, agentId);
  const { id } = await approvalOf(workspace, chatId);
  await new Promise((resolve) => setTimeout(resolve, activeMs + 200));
  bodyOf(await workspace.call(`POST /approvals/${id}/decide`, { decision: 'approve' }));
  const run = await endOfRun(workspace, todoId);
  assert.equal([run.status, run.minutesUsed], ['completed', 0.1]);
});

test.run();
