import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TurnRef } from '../../domain/jobs.ts';
import { hours, waitingTurn } from '../support/agent-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { within } from '../support/until.ts';

const test = suite('turns that wait for working hours');
/** A Saturday, so far ahead that the clock of the database is before it too. */
const now = '2048-11-21T12:00:00.000Z';
const past = '2026-01-05T09:00:00.000Z';
const monday = '2048-11-23T09:00:00.000Z';
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { clock: () => new Date(now) });
});
test.after.each(releaseAll);
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const { body: agent } = await workspace.call('POST /agents', { name: 'Scout' });
  const path = `/agents/${agent.id}`;
  await workspace.call(`PATCH ${path}`, { workingHours: hours('09:00', '17:00'), workingHoursEnabled: true });
  return { workspace, agentId: agent.id as string, path };
}

async function stateOf({ workspaceId, chatId, turnId }: TurnRef) {
  const text = `select c.status, t.not_before as "notBefore", t.lease_until as "leaseUntil" from chats c, chat_turns t
    where c.workspace_id = $1 and c.id = $2 and t.workspace_id = $1 and t.id = $3`;
  const [row] = await tandem.db.rows<{ status: string; notBefore: string; leaseUntil: string }>(text, [
    workspaceId,
    chatId,
    turnId,
  ]);
  if (!row) throw new Error('no turn');
  return row;
}

const patch = ({ call }: TestWorkspace, path: string, body: object) => call(`PATCH ${path}`, body);

test('hours that open earlier bring the start forward, and later ones put it off', async () => {
  const { workspace, agentId, path } = await world();
  const turn = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  await patch(workspace, path, { workingHours: hours('08:00', '17:00') });
  const earlier = '2048-11-23T08:00:00.000Z';
  assert.equal(await stateOf(turn), { status: 'queued', notBefore: earlier, leaseUntil: earlier });
  await patch(workspace, path, { workingHours: hours('08:00', '17:00', 'America/New_York', ['tue']) });
  const later = '2048-11-24T13:00:00.000Z';
  assert.equal(await stateOf(turn), { status: 'queued', notBefore: later, leaseUntil: later });
});

test('an agent that now works, or keeps to no hours any more, starts at once', async () => {
  for (const change of [
    { workingHours: hours('11:00', '13:00', 'UTC', ['sat']) },
    { workingHoursEnabled: false },
    { workingHoursEnabled: false, clear: ['workingHours'] },
  ]) {
    const { workspace, agentId, path } = await world();
    const turn = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
    assert.is((await patch(workspace, path, change)).status, 200);
    const { status, notBefore, leaseUntil } = await stateOf(turn);
    assert.is(status, 'running');
    assert.ok(Date.parse(notBefore) <= Date.now(), 'it is due by the clock of the database');
    assert.ok(Date.parse(leaseUntil) <= Date.now(), 'a worker may claim it');
  }
});

test('only waiting turns of this agent are planned again, and only when its hours change', async () => {
  const { workspace, agentId, path } = await world();
  const { body: other } = await workspace.call('POST /agents', { name: 'Other' });
  const foreign = await waitingTurn(tandem, workspace, other.id, { notBefore: monday });
  const due = await waitingTurn(tandem, workspace, agentId, { notBefore: past });
  const working = await waitingTurn(tandem, workspace, agentId, { notBefore: null, status: 'running' });
  const ended = await waitingTurn(tandem, workspace, agentId, { notBefore: monday, status: 'cancelled' });
  const end = `update chat_turns set ended_at = now(), outcome = 'cancelled' where workspace_id = $1 and id = $2`;
  await tandem.db.rows(end, [ended.workspaceId, ended.turnId]);
  const left = [foreign, due, working, ended];
  const waiting = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  const before = await Promise.all([...left, waiting].map(stateOf));
  await patch(workspace, path, { name: 'Scribe', archived: true, workingHoursEnabled: true });
  await patch(workspace, path, { archived: false, workingHours: hours('09:00', '17:00') });
  assert.equal(await Promise.all([...left, waiting].map(stateOf)), before, 'no change of hours');
  await patch(workspace, path, { workingHoursEnabled: false });
  assert.equal(await Promise.all(left.map(stateOf)), before.slice(0, 4));
  assert.is((await stateOf(waiting)).status, 'running');
});

test('a run that waits resumes, and many chats are replanned together', async () => {
  const { workspace, agentId, path } = await world();
  const { body: todo } = await workspace.call('POST /todos', { title: 'a', assignees: [{ id: agentId }] });
  const turns: TurnRef[] = [];
  for (let i = 0; i < 5; i++) turns.push(await waitingTurn(tandem, workspace, agentId, { notBefore: monday }));
  const [first] = turns;
  assert.ok(first);
  const { workspaceId, chatId, turnId } = first;
  const run = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status_reason)
    values ($1, $2, $3, $4, $5, 'assignment', 'queued')`;
  await tandem.db.rows(run, [workspaceId, turnId, todo.id, chatId, agentId]);
  await tandem.db.rows('update chat_turns set run_id = id where workspace_id = $1 and id = $2', [workspaceId, turnId]);
  await tandem.db.rows('update chats set todo_id = $3 where workspace_id = $1 and id = $2', [
    workspaceId,
    chatId,
    todo.id,
  ]);
  await patch(workspace, path, { workingHoursEnabled: false });
  for (const turn of turns) assert.is((await stateOf(turn)).status, 'running');
  const reason = 'select status_reason as "statusReason" from todo_runs where workspace_id = $1 and id = $2';
  assert.equal([...(await tandem.db.rows(reason, [workspaceId, turnId]))], [{ statusReason: null }]);
});

test('a refused change of hours leaves every plan as it was', async () => {
  const { workspace, agentId, path } = await world();
  const turn = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  const before = await stateOf(turn);
  const answer = await patch(workspace, path, { name: 'Assistant', workingHoursEnabled: false });
  assert.is(answer.status, 409);
  assert.equal(await stateOf(turn), before);
});

test('a chat that is erased while the hours change is passed over', async () => {
  const { workspace, agentId, path } = await world();
  const turn = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  const second = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  const key = [turn.workspaceId, turn.chatId];
  const held = await hold('select 1 from chats where workspace_id = $1 and id = $2 for update', key);
  const erasing = tandem.db.rows('delete from chats where workspace_id = $1 and id = $2', key);
  await untilBlocked('delete from chats%');
  const changing = patch(workspace, path, { workingHoursEnabled: false });
  await untilBlocked('select c.id, c.todo_id%');
  await held.release();
  await erasing;
  assert.is((await changing).status, 200);
  assert.is((await stateOf(second)).status, 'running');
});

test('hours change while somebody holds the todo of a waiting chat, who may be waiting for the agent', async () => {
  const { workspace, agentId, path } = await world();
  const turn = await waitingTurn(tandem, workspace, agentId, { notBefore: monday });
  const { body: todo } = await workspace.call('POST /todos', { title: 'a' });
  const link = 'update chats set todo_id = $3 where workspace_id = $1 and id = $2';
  await tandem.db.rows(link, [turn.workspaceId, turn.chatId, todo.id]);
  const held = await hold('select 1 from todos where workspace_id = $1 and id = $2 for update', [
    turn.workspaceId,
    todo.id,
  ]);
  const changed = patch(workspace, path, { workingHoursEnabled: false });
  assert.is((await within(() => 'the change, which waits for no todo', changed)).status, 200);
  await held.release();
  assert.is((await stateOf(turn)).status, 'running');
});

test.run();
