import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chargeCancelled } from '../../domain/turns/cancelled.ts';
import type { Claim } from '../../domain/turns/steps.ts';
import { ModelFault } from '../../engine/engine.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { worldOf } from '../support/turn-world.ts';
import { until } from '../support/until.ts';
import { agentOf, endOfRun, held, startRun } from '../support/work-fixtures.ts';

const test = suite('minutes of turns that end early');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '1' }, { engine });
});
test.after(() => tandem.close());

/** What was charged for turns, and what the workspace, its ledger, its turns and its runs have of it. */
async function booksOf({ workspaceId }: TestWorkspace) {
  const text = `select agent_minutes::float8 as left,
      (select sum(minutes)::float8 from minute_entries where workspace_id = $1) as entered,
      (select count(*)::int from minute_entries where workspace_id = $1 and kind = 'turn') as entries,
      (select coalesce(sum(minutes), 0)::float8 from chat_turns where workspace_id = $1) as turns,
      (select coalesce(sum(minutes_used), 0)::float8 from todo_runs where workspace_id = $1) as runs
    from workspaces where id = $1`;
  return (await tandem.db.rows<object>(text, [workspaceId]))[0];
}

const charged = async (workspace: TestWorkspace) => {
  await until(async () => ((await booksOf(workspace)) as { entries: number }).entries > 0);
  return booksOf(workspace);
};

test('turns that were queued when the last minute was used up do not ask the model', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspaceId]);
  await tandem.db.rows('update minute_entries set minutes = 0.1 where workspace_id = $1', [workspaceId]);
  const queued = Promise.withResolvers<void>();
  const first = engine.plan(async () => {
    await queued.promise;
    return reply('Done.');
  });
  let asked = 0;
  const more = engine.plan(() => {
    asked++;
    return reply('For nothing.');
  });
  const chats: string[] = [];
  for (const message of [first, more, more]) chats.push((await call('POST /chats', { message })).body.id);
  queued.resolve();
  const ended = [];
  for (const id of chats) {
    const { body } = await settled(workspace, id);
    ended.push([body.status, body.errorMessage]);
  }
  const message = 'The workspace ran out of agent minutes. What the agent did stays; it can go on once there are more.';
  assert.equal(ended, [
    ['completed', null],
    ['failed', message],
    ['failed', message],
  ]);
  assert.is(asked, 0);
  assert.equal(await booksOf(workspace), { left: 0, entered: 0, entries: 1, turns: 0.1, runs: 0 });
});

test('a turn that is cancelled while the model answers is charged for that, once', async () => {
  const workspace = await tandem.workspace();
  const busy = held(reply('Too late.'));
  const { body: chat } = await workspace.call('POST /chats', { message: engine.plan(busy.script) });
  await busy.asked();
  assert.is((await workspace.call(`POST /chats/${chat.id}/cancel`)).body.status, 'cancelled');
  const books = { left: 599.9, entered: 599.9, entries: 1, turns: 0.1, runs: 0 };
  assert.equal(await charged(workspace), books);
  const text = `select chat_id as "chatId", id as "turnId", workspace_id as "workspaceId", attempt, agent_id as "agentId",
    null as "runId", null as "todoId", trigger, active_ms as "activeMs" from chat_turns where workspace_id = $1`;
  const [claim] = await tandem.db.rows<Claim>(text, [workspace.workspaceId]);
  assert.ok(claim);
  const world = worldOf(tandem.db);
  await chargeCancelled(world, claim, claim.activeMs);
  await chargeCancelled(world, { ...claim, attempt: claim.attempt - 1 }, claim.activeMs + 60_000);
  assert.equal(await booksOf(workspace), books, 'nothing is charged twice, or by a worker that lost the turn');
});

test('so is a turn that is erased with its chat, which leaves nothing but its entries', async () => {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace);
  const { body: todo } = await workspace.call('POST /todos', { title: 'Water the plants' });
  const busy = held(reply('Too late.'));
  const { chatId } = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  const text = `select chat_id as "chatId", id as "turnId", workspace_id as "workspaceId", attempt, agent_id as "agentId",
    run_id as "runId", $2::uuid as "todoId", trigger, active_ms as "activeMs" from chat_turns where workspace_id = $1`;
  const [claim] = await tandem.db.rows<Claim>(text, [workspace.workspaceId, todo.id]);
  assert.ok(claim);
  assert.is((await workspace.call(`DELETE /chats/${chatId}?permanent=true`)).status, 200);
  const books = { left: 599.9, entered: 599.9, entries: 1, turns: 0, runs: 0.1 };
  assert.equal(await charged(workspace), books);
  const world = worldOf(tandem.db);
  await chargeCancelled(world, claim, 6_000);
  assert.equal(await booksOf(workspace), books, 'nothing is charged twice');
  await chargeCancelled(world, claim, 6_001);
  assert.equal(await booksOf(workspace), { left: 599.8, entered: 599.8, entries: 2, turns: 0, runs: 0.2 });
});

test('so is a run whose todo is done meanwhile, and one that ends with a fault of the model', async () => {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace);
  const { body: todo } = await workspace.call('POST /todos', { title: 'Water the plants' });
  const busy = held(reply('Too late.'));
  await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  assert.is((await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' })).status, 200);
  const books = { left: 599.9, entered: 599.9, entries: 1, turns: 0.1, runs: 0.1 };
  assert.equal(await charged(workspace), books);

  const other = await tandem.workspace();
  const { body: failing } = await other.call('POST /todos', { title: 'Water the plants' });
  const fault = engine.plan(() => {
    throw new ModelFault('The model is not available.', { retryable: false });
  });
  await startRun(other, failing.id, fault, await agentOf(other));
  const run = await endOfRun(other, failing.id);
  assert.equal([run.status, run.minutesUsed], ['failed', 0.1]);
  assert.equal(await booksOf(other), books);
});

test.run();
