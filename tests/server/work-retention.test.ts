import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstWorkOf } from '../../domain/chats/first-work.ts';
import { newChat, playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { assertLaws } from '../support/laws.ts';
import { brief, recordedEvents } from '../support/recorded-events.ts';
import { todoOf } from '../support/run-fixtures.ts';
import { sweep, sweepTraces } from '../support/sweeps.ts';
import { assistantOf } from '../support/todo-fixtures.ts';

const test = suite('for how long traces of work are kept');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const all = { runDays: 30, approvalDays: 30, turnDays: 30 };

/** The columns of times that make a row as old as it is. */
const times = {
  todo_runs: ['started_at', 'finished_at'],
  approvals: ['requested_at', 'decided_at'],
  chat_turns: ['created_at', 'ended_at'],
} as const;

/** In SQL: a time so many days before that of a column, in functions that Citus runs on columns. */
const earlier = (column: string, days: string) =>
  `(${column} at time zone 'UTC' - make_interval(days => ${days})) at time zone 'UTC'`;

/** Makes all rows of a table older, or those of these ids. */
function age({ workspaceId }: TestWorkspace, table: keyof typeof times, days: number, ids: string[] | null = null) {
  const older = times[table].map((column) => `${column} = ${earlier(column, '$2')}`).join(', ');
  const text = `update ${table} set ${older} where workspace_id = $1 and ($3::uuid[] is null or id = any($3))`;
  return tandem.db.rows(text, [workspaceId, days, ids]);
}

async function idsIn(table: keyof typeof times, { workspaceId }: TestWorkspace): Promise<string[]> {
  const text = `select id from ${table} where workspace_id = $1 order by ${times[table][0]}, id`;
  return (await tandem.db.rows<{ id: string }>(text, [workspaceId])).map(({ id }) => id);
}

const eventsOf = async ({ workspaceId }: TestWorkspace, id: string) =>
  (await recordedEvents(tandem, workspaceId)).map(brief).filter(([, objectId]) => objectId === id);

/** Runs a todo by its agent, who finishes unless the run is left open; the id of the run. */
async function run({ call, workspaceId }: TestWorkspace, todoId: string, isOpen = false): Promise<string> {
  const { status, body, text } = await call(`POST /todos/${todoId}/runs`);
  assert.is(status, 202, text);
  if (!isOpen) await playAgent(tandem, workspaceId, body.chatId).finish('Done.');
  return body.id;
}

test('traces of work are kept for ever without a setting', async () => {
  const workspace = await tandem.workspace();
  const { id: todoId } = await todoOf(workspace);
  const runs = [await run(workspace, todoId), await run(workspace, todoId)];
  for (const table of ['todo_runs', 'chat_turns'] as const) await age(workspace, table, 4000);
  await sweep(tandem.db);
  await sweepTraces(tandem.db, {});
  assert.equal(await idsIn('todo_runs', workspace), runs);
  assert.is((await idsIn('chat_turns', workspace)).length, 2);
});

test('runs are deleted so many days after they finished, not the latest of a todo, and not open or younger ones', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const [many, young, open] = await Promise.all([1, 2, 3].map(async () => (await todoOf(workspace)).id as string));
  if (!many || !young || !open) throw new Error('a todo is missing');
  const old = await run(workspace, many);
  const latest = await run(workspace, many);
  const finishedNow = await run(workspace, young);
  const after = await run(workspace, young);
  const before = await run(workspace, open);
  const opened = await run(workspace, open, true);
  await age(workspace, 'todo_runs', 31, [old, latest, before]);
  await tandem.db.rows(`update todo_runs set started_at = ${earlier('started_at', '40')} where id = any($1)`, [
    [finishedNow, opened],
  ]);
  const shown = () => Promise.all([many, young].map(async (id) => (await call(`GET /todos/${id}`)).body));
  const [todos, usage] = [await shown(), (await call('GET /usage')).body];
  await sweepTraces(tandem.db, { runDays: 30 });
  const left = await idsIn('todo_runs', workspace);
  assert.equal([...left].sort(), [latest, finishedNow, after, opened].sort());
  assert.equal(
    (await call(`GET /todos/${many}/runs`)).body.data.map(({ id }: { id: string }) => id),
    [latest],
  );
  assert.equal(await shown(), todos);
  assert.equal((await call('GET /usage')).body, usage);
  assert.equal(await eventsOf(workspace, old), [
    ['todo_run.started', old],
    ['todo_run.finished', old],
    ['todo_run.deleted', old],
  ]);
  const tombstone = (await recordedEvents(tandem, workspaceId)).find(({ type }) => type === 'todo_run.deleted');
  assert.is(tombstone?.actorType, 'service');
  assert.is(tombstone?.parents.todoId, many);
  const erasure = await call(`DELETE /todos/${many}?permanent=true`);
  assert.is(erasure.status, 409, 'an agent has run it');
});

test('more runs than two batches are deleted once each by two processes, and what is kept before them does not end it', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const { id: todoId } = await todoOf(workspace);
  await run(workspace, todoId);
  const fill = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, started_at, finished_at)
    select $1, gen_random_uuid(), $2, gen_random_uuid(), $3, 'manual', 'completed',
      now() - interval '90 days' + n * interval '1 second', now() - make_interval(days => case when n <= 600 then 5 else 40 end)
    from generate_series(1, 1800) n`;
  await tandem.db.rows(fill, [workspaceId, todoId, await assistantOf(tandem, workspaceId)]);
  await Promise.all([1, 2].map(() => sweepTraces(tandem.db, { runDays: 30 })));
  assert.is((await idsIn('todo_runs', workspace)).length, 601);
  const tombstones = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo_run.deleted');
  assert.is(tombstones.length, 1200);
  assert.is(new Set(tombstones.map(({ objectId }) => objectId)).size, 1200);
  await sweepTraces(tandem.db, { runDays: 30 });
  const events = await recordedEvents(tandem, workspaceId);
  assert.is(events.filter(({ type }) => type === 'todo_run.deleted').length, 1200);
});

/**
 * A chat whose agent asked, a person decided and the agent ended, unless its turn is left open; ids of chat and
 * approval.
 */
async function asked(workspace: TestWorkspace, { decides = true, ends = true } = {}) {
  const { chat, agent } = await newChat(tandem, workspace);
  const approvalId = await agent.ask();
  if (decides) await workspace.call(`POST /approvals/${approvalId}/decide`, { decision: 'approve', note: 'Go on.' });
  if (decides && ends) await agent.finish('Done.');
  return { chatId: chat.id as string, approvalId };
}

test('decided approvals are deleted after so many days, not those that are pending, younger or of an open turn', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const old = await asked(workspace);
  const atWork = await asked(workspace, { ends: false });
  const pending = await asked(workspace, { decides: false });
  await age(workspace, 'approvals', 31);
  const late = await asked(workspace);
  const asking = `update approvals set requested_at = ${earlier('requested_at', '31')} where id = $1`;
  await tandem.db.rows(asking, [late.approvalId]);
  const young = await asked(workspace);
  const messages = async () => (await call(`GET /chats/${old.chatId}/messages?limit=100`)).body;
  const shown = await messages();
  await sweepTraces(tandem.db, { approvalDays: 30 });
  const statuses = await Promise.all(
    [old, atWork, pending, late, young].map(
      async ({ approvalId }) => (await call(`GET /approvals/${approvalId}`)).status,
    ),
  );
  assert.equal(statuses, [404, 200, 200, 200, 200]);
  assert.equal(await messages(), shown, 'the chat still shows what was asked and decided');
  const events = (await recordedEvents(tandem, workspaceId)).filter(({ objectId }) => objectId === old.approvalId);
  assert.equal(events.at(-1)?.type, 'approval.deleted');
  assert.equal(events.at(-1)?.parents.chatId, old.chatId);
  assert.equal(
    events.flatMap(({ changedFields }) => changedFields),
    [],
    'earlier events have only ids',
  );
  await playAgent(tandem, workspaceId, atWork.chatId).finish('Done.');
  await assertLaws(tandem.db, workspaceId);
});

test('ended turns are deleted after so many days, not the first of a chat, and what follows is as before', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { chat, path, agent } = await newChat(tandem, workspace);
  await agent.finish('Nothing.');
  for (const message of ['And next week?', 'And in March?']) {
    await call(`POST ${path}/messages`, { message });
    await agent.finish('Nothing either.');
  }
  const open = await newChat(tandem, workspace);
  await open.agent.finish('Nothing.');
  await call(`POST ${open.path}/messages`, { message: 'Really?' });
  const [first] = await idsIn('chat_turns', workspace);
  await age(workspace, 'chat_turns', 31);
  const ctx = { db: tandem.db, principal: { workspaceId } } as unknown as Parameters<typeof firstWorkOf>[0];
  const work = await firstWorkOf(ctx, chat.id);
  const shown = async () => [(await call(`GET ${path}`)).body, (await call(`GET ${path}/messages?limit=100`)).body];
  const [before, usage] = [await shown(), (await call('GET /usage')).body];
  await sweepTraces(tandem.db, { turnDays: 30 });
  const turnsOf = `select id from chat_turns where workspace_id = $1 and chat_id = $2`;
  assert.equal(await tandem.db.rows(turnsOf, [workspaceId, chat.id]), [{ id: first }]);
  assert.is((await tandem.db.rows(turnsOf, [workspaceId, open.chat.id])).length, 2, 'the second one has not ended');
  assert.equal(
    [await firstWorkOf(ctx, chat.id), await shown(), (await call('GET /usage')).body],
    [work, before, usage],
  );
  assert.is((await call(`POST ${path}/messages`, { message: 'And in April?' })).status, 202);
  await agent.finish('Much.');
  await open.agent.finish('Really.');
  await assertLaws(tandem.db, workspaceId);
});

test('a turn stays with its approvals, and one that was superseded goes with them', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { chat, path, agent } = await newChat(tandem, workspace);
  const approvalId = await agent.ask();
  await call(`POST ${path}/messages`, { message: 'Do not, it is done.' });
  await agent.finish('I see.');
  const [, second] = await idsIn('chat_turns', workspace);
  for (const table of ['chat_turns', 'approvals'] as const) await age(workspace, table, 31);
  await sweepTraces(tandem.db, { turnDays: 30 });
  assert.is((await idsIn('chat_turns', workspace)).length, 2);
  await sweepTraces(tandem.db, all);
  assert.equal(await idsIn('chat_turns', workspace), [second]);
  assert.equal((await eventsOf(workspace, approvalId)).at(-1), ['approval.deleted', approvalId]);
  const ctx = { db: tandem.db, principal: { workspaceId } } as unknown as Parameters<typeof firstWorkOf>[0];
  assert.is((await firstWorkOf(ctx, chat.id))?.turnId, second);
});

test('more turns than two batches are deleted, and younger ones after them are not read', async () => {
  const workspace = await tandem.workspace();
  const { chat, agent } = await newChat(tandem, workspace);
  await agent.finish('Nothing.');
  // Ids of version 7 of their time, as the service makes them.
  const fill = `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, created_at, ended_at, outcome)
    select $1, overlay(overlay(gen_random_uuid()::text
        placing substr(h, 1, 8) || '-' || substr(h, 9, 4) from 1 for 13) placing '7' from 15 for 1)::uuid,
      $2, agent_id, user_id, 'chat', '{}', at, at, 'completed'
    from chat_turns t, generate_series(1, 1900) n,
      lateral (select now() - make_interval(days => case when n <= 1300 then 40 else 10 end) + n * interval '1 second' as at) a,
      lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as h) k
    where t.workspace_id = $1`;
  await age(workspace, 'chat_turns', 60);
  await tandem.db.rows(fill, [workspace.workspaceId, chat.id]);
  const [, ...younger] = (await idsIn('chat_turns', workspace)).slice(-601);
  await sweepTraces(tandem.db, { turnDays: 30 });
  const left = await idsIn('chat_turns', workspace);
  assert.equal(left.slice(1), younger);
});

test.run();
