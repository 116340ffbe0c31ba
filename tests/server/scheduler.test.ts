import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { holdChat } from '../../domain/chats/rows.ts';
import { type Ending, endTurn } from '../../domain/chats/turns.ts';
import { notifyDue } from '../../domain/notifications/events.ts';
import { fireDue } from '../../domain/occurrences/fire.ts';
import { beginTurn } from '../../domain/turns/begin.ts';
import type { Claim } from '../../domain/turns/steps.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import type { TestWorkspace } from '../support/harness.ts';
import { untilBlocked } from '../support/locks.ts';
import { spendAllMinutes, todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, schedulerOf, startScheduled, worldOf } from '../support/schedule-world.ts';
import { addAgent, addMember, assistantOf } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('schedules that are due');
/** A Saturday. */
const start = '2031-05-03T08:30:00.000Z';
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled(start);
});
test.before.each(() => tandem.clock.set(start));
test.after(() => tandem.close());

const hourly = { rrule: 'FREQ=HOURLY;BYMINUTE=0', timezone: 'UTC' };
const at = (time: string) => `2031-05-03T${time}:00.000Z`;

async function withAgent(workspace: TestWorkspace, schedule: object, more: object = {}) {
  const agent = await assistantOf(tandem, workspace.workspaceId);
  return todoOf(workspace, { schedule, assignees: [{ id: agent }], ...more });
}

async function get({ call }: TestWorkspace, id: string) {
  return (await call(`GET /todos/${id}`)).body;
}

/** Planned time and status of what came, the first first. */
async function cameOf({ call }: TestWorkspace, id: string): Promise<[string, string][]> {
  const { body } = await call(`GET /todos/${id}/occurrences?limit=100`);
  const came = body.data.filter((each: { status: string }) => each.status !== 'upcoming');
  return came.map((each: { plannedAt: string; status: string }) => [each.plannedAt, each.status]).reverse();
}

async function runsOf({ call }: TestWorkspace, id: string) {
  return (await call(`GET /todos/${id}/runs`)).body.data;
}

async function endRun(workspace: TestWorkspace, chatId: string, ending: Ending) {
  const { workspaceId } = workspace;
  await tandem.db.transaction(async (tx) =>
    endTurn(worldOf(tandem, tandem.clock, { db: tx }), await holdChat(tx, workspaceId, chatId), ending),
  );
}

test('a due time starts the agent once, keeps an occurrence and continues with the next', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  await tandem.fire();
  assert.equal(await runsOf(workspace, todo.id), [], 'not before its time');
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  await tandem.fire();
  const [run, ...others] = await runsOf(workspace, todo.id);
  assert.equal(others, []);
  assert.equal([run.trigger, run.status, run.statusReason], ['schedule', 'running', null]);
  const after = await get(workspace, todo.id);
  assert.equal([after.scheduleStatus, after.nextRunAt, after.scheduleError], ['pending', at('10:00'), null]);
  assert.is(after.lastRunAt, at('09:00'));
  const { body } = await workspace.call(`GET /todos/${todo.id}/occurrences`);
  assert.equal(
    body.data.map(({ id, ...each }: { id: string }) => each),
    [
      {
        object: 'todo_occurrence',
        todoId: todo.id,
        plannedAt: at('10:00'),
        firedAt: null,
        status: 'upcoming',
        runId: null,
      },
      {
        object: 'todo_occurrence',
        todoId: todo.id,
        plannedAt: at('09:00'),
        firedAt: at('09:00'),
        status: 'fired',
        runId: run.id,
      },
    ],
  );
  assert.is((await tandem.turns()).filter(({ chatId }) => chatId === run.chatId).length, 1, 'one job for the turn');
});

test('the run has the authority of the person who set the schedule', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['todos:read', 'todos:write', 'captures:read']);
  const agent = await assistantOf(tandem, workspace.workspaceId);
  const body = { title: 'x', schedule: hourly, assignees: [{ id: agent }] };
  const todo = (await workspace.call('POST /todos', body, { key })).body;
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const [turn] = await tandem.db.rows<{ user_id: string; scopes: string[]; depth: number }>(
    `select t.user_id, t.scopes, t.depth from chat_turns t
      join todo_runs r on r.workspace_id = t.workspace_id and r.id = t.run_id where r.todo_id = $1`,
    [todo.id],
  );
  assert.is(turn?.user_id, workspace.userId);
  assert.is(turn?.depth, 0);
  assert.ok(turn?.scopes.includes('captures:read'));
  assert.not.ok(turn?.scopes.includes('captures:write'));
});

test('people who are assigned are notified, in their list, and the todo has the outcome', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: hourly });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  assert.equal(await cameOf(workspace, todo.id), [[at('09:00'), 'fired']]);
  const after = await get(workspace, todo.id);
  assert.equal([after.lastNotificationStatus, after.lastNotificationSentAt], ['sent', at('09:00')]);
  assert.equal([after.scheduleStatus, after.nextRunAt, after.lastRunAt], ['pending', at('10:00'), at('09:00')]);
  const notified = await tandem.db.rows('select 1 from notifications where todo_id = $1 and user_id = $2', [
    todo.id,
    workspace.userId,
  ]);
  assert.is(notified.length, 1);
  assert.equal(await runsOf(workspace, todo.id), []);
});

/** A todo that is scheduled every hour for an agent that works from Monday to Friday. */
async function outsideHours(workspace: TestWorkspace) {
  const { body: agent } = await workspace.call('POST /agents', { name: 'Clerk' });
  const hours = { timezone: 'UTC', days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' };
  const set = { workingHoursEnabled: true, workingHours: hours };
  assert.is((await workspace.call(`PATCH /agents/${agent.id}`, set)).status, 200);
  return todoOf(workspace, { schedule: hourly, assignees: [{ id: agent.id }] });
}

test('outside the working hours of its agent the run waits, and the schedule is queued until it begins', async () => {
  const workspace = await tandem.workspace();
  const todo = await outsideHours(workspace);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const waiting = await get(workspace, todo.id);
  assert.equal([waiting.scheduleStatus, waiting.latestRun.statusReason], ['queued', 'queued']);
  assert.is(waiting.nextRunAt, at('10:00'));
  assert.is((await tandem.turns()).at(-1)?.after, '2031-05-05T09:00:00.000Z', 'until Monday');
  await workspace.call(`POST /chats/${waiting.latestRun.chatId}/cancel`);
  assert.is((await get(workspace, todo.id)).scheduleStatus, 'pending');
});

test('a run that waits for working hours makes way for the agent that the todo is given to', async () => {
  const workspace = await tandem.workspace();
  const todo = await outsideHours(workspace);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const assistant = await assistantOf(tandem, workspace.workspaceId);
  const { body } = await workspace.call(`PATCH /todos/${todo.id}`, { assignees: [{ id: assistant }] });
  const [run, waiting] = await runsOf(workspace, todo.id);
  assert.equal([run.agentId, run.trigger, run.status, run.statusReason], [assistant, 'assignment', 'running', null]);
  assert.is(waiting.status, 'cancelled');
  assert.equal([body.latestRun.id, body.scheduleStatus, body.scheduleError], [run.id, 'pending', null]);
});

const workOf = `select t.chat_id as "chatId", t.id as "turnId", t.attempt, t.agent_id as "agentId" from chat_turns t
  where t.workspace_id = $1 and t.run_id = $2`;

test('it does not begin for an agent that is not assigned any more', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const todo = await outsideHours(workspace);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const [{ id: runId }] = await runsOf(workspace, todo.id);
  await workspace.call(`PATCH /todos/${todo.id}`, { assignees: [{ id: workspace.userId }] });
  const due = `update chat_turns set not_before = now() - interval '1 second' where workspace_id = $1 and run_id = $2`;
  await tandem.db.rows(due, [workspaceId, runId]);
  const [turn] = await tandem.db.rows<Claim>(workOf, [workspaceId, runId]);
  assert.ok(turn);
  assert.is(await beginTurn(worldOf(tandem, tandem.clock), { ...turn, workspaceId }), false);
  const [run] = await runsOf(workspace, todo.id);
  assert.is(run.status, 'cancelled');
  const { body: page } = await workspace.call(`GET /chats/${run.chatId}/messages`);
  assert.match(page.data.at(-1).text, 'was unassigned');
});

test('a one-off is spent once it fired', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, { runAt: at('09:00') });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const after = await get(workspace, todo.id);
  assert.equal([after.scheduleStatus, after.nextRunAt, after.scheduleType], ['completed', null, 'one_off']);
  assert.equal(after.upcomingRuns, []);
  assert.is((await runsOf(workspace, todo.id)).length, 1);
});

test('COUNT and UNTIL end a schedule with their last time', async () => {
  const workspace = await tandem.workspace();
  const counted = await todoOf(workspace, { schedule: { rrule: 'FREQ=HOURLY;BYMINUTE=0;COUNT=2', timezone: 'UTC' } });
  const until = await todoOf(workspace, {
    schedule: { rrule: 'FREQ=HOURLY;BYMINUTE=0;UNTIL=20310503T100000Z', timezone: 'UTC' },
  });
  for (const time of ['09:00', '10:00', '11:00', '12:00']) {
    tandem.clock.set(at(time));
    await tandem.fire();
  }
  for (const { id } of [counted, until]) {
    assert.equal(await cameOf(workspace, id), [
      [at('09:00'), 'fired'],
      [at('10:00'), 'fired'],
    ]);
    assert.is((await get(workspace, id)).scheduleStatus, 'completed');
  }
});

test('an agent that is still at work when the next time comes: that time is skipped and reported', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  for (const time of ['09:00', '10:00']) {
    tandem.clock.set(at(time));
    await tandem.fire();
  }
  assert.equal(await cameOf(workspace, todo.id), [
    [at('09:00'), 'fired'],
    [at('10:00'), 'skipped'],
  ]);
  const after = await get(workspace, todo.id);
  assert.is(after.scheduleStatus, 'error');
  assert.equal(after.scheduleError, {
    object: 'schedule_error',
    code: 'already_running',
    message: 'An agent was still working on this todo, so this time was skipped.',
    occurredAt: at('10:00'),
    consecutiveFailures: 0,
    willRetry: true,
  });
  await endRun(workspace, after.latestRun.chatId, { outcome: 'completed' });
  tandem.clock.set(at('11:00'));
  await tandem.fire();
  const again = await get(workspace, todo.id);
  assert.equal([again.scheduleStatus, again.scheduleError], ['pending', null]);
  assert.is((await runsOf(workspace, todo.id)).length, 2);
});

test('times that are skipped while a run waits for working hours never disable a schedule', async () => {
  const workspace = await tandem.workspace();
  const todo = await outsideHours(workspace);
  for (const hour of [9, 10, 11, 12, 13, 14, 15]) {
    tandem.clock.set(at(`${String(hour).padStart(2, '0')}:00`));
    await tandem.fire();
  }
  const waiting = await get(workspace, todo.id);
  assert.equal([waiting.scheduleStatus, waiting.nextRunAt], ['error', at('16:00')]);
  const { code, consecutiveFailures, willRetry } = waiting.scheduleError;
  assert.equal([code, consecutiveFailures, willRetry], ['already_running', 0, true]);
  assert.equal(
    (await cameOf(workspace, todo.id)).map(([, status]) => status),
    ['fired', ...Array(6).fill('skipped')],
  );
});

test('without minutes, with an archived agent or without assignees nothing starts, and the todo says why', async () => {
  const dry = await tandem.workspace();
  const noMinutes = await withAgent(dry, hourly);
  await spendAllMinutes(tandem, dry.workspaceId);
  const workspace = await tandem.workspace();
  const gone = await todoOf(workspace, { schedule: hourly });
  const agent = await addAgent(tandem, workspace.workspaceId, 'Gone');
  await workspace.call(`PATCH /todos/${gone.id}`, { assignees: [{ id: agent }] });
  const chat = (await get(workspace, gone.id)).latestRun.chatId;
  await workspace.call(`POST /chats/${chat}/cancel`);
  await tandem.db.rows('update agents set archived_at = now() where id = $1', [agent]);
  const nobody = await todoOf(workspace, { schedule: hourly, assignees: [] });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const expected = [
    [dry, noMinutes, 'insufficient_minutes'],
    [workspace, gone, 'agent_archived'],
    [workspace, nobody, 'no_assignee'],
  ] as const;
  for (const [where, todo, code] of expected) {
    const after = await get(where, todo.id);
    assert.equal([after.scheduleStatus, after.scheduleError?.code, after.nextRunAt], ['error', code, at('10:00')]);
    assert.equal(await cameOf(where, todo.id), [[at('09:00'), 'missed']]);
  }
  assert.equal(await runsOf(dry, noMinutes.id), []);
});

test('people beside an agent that cannot start are notified all the same, however often', async () => {
  const workspace = await tandem.workspace();
  const agent = await assistantOf(tandem, workspace.workspaceId);
  const assignees = [{ id: workspace.userId }, { id: agent }];
  const todo = await todoOf(workspace, { schedule: hourly, assignees });
  await spendAllMinutes(tandem, workspace.workspaceId);
  const times = ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00'].map(at);
  for (const time of times) {
    tandem.clock.set(time);
    await tandem.fire();
  }
  const after = await get(workspace, todo.id);
  assert.equal([after.scheduleError.code, after.lastNotificationStatus], ['insufficient_minutes', 'sent']);
  assert.equal([after.scheduleStatus, after.nextRunAt], ['error', at('15:00')]);
  assert.is(after.scheduleError.consecutiveFailures, 0, 'a notification ends the count');
  const { data } = (await workspace.call(`GET /todos/${todo.id}/occurrences?limit=100`)).body;
  const came = data.filter((each: { status: string }) => each.status !== 'upcoming').reverse();
  const fired = came.map(({ status, firedAt, runId }: Record<string, unknown>) => [status, firedAt, runId]);
  assert.equal(
    fired,
    times.map((time) => ['missed', time, null]),
  );
});

test('five failures in a row disable a schedule until somebody resumes it', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: hourly, assignees: [] });
  for (const hour of [9, 10, 11, 12, 13, 14]) {
    tandem.clock.set(at(`${String(hour).padStart(2, '0')}:00`));
    await tandem.fire();
  }
  const disabled = await get(workspace, todo.id);
  assert.equal([disabled.scheduleStatus, disabled.nextRunAt], ['disabled', null]);
  assert.equal([disabled.scheduleError.consecutiveFailures, disabled.scheduleError.willRetry], [5, false]);
  assert.is((await cameOf(workspace, todo.id)).length, 5);
  await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' });
  const { body: reopened } = await workspace.call(`PATCH /todos/${todo.id}`, { status: 'ready' });
  assert.is(reopened.scheduleStatus, 'disabled', 'reopening is no answer to failures');
  const { body: resumed } = await workspace.call(`PATCH /todos/${todo.id}`, { schedulePaused: false });
  assert.equal([resumed.scheduleStatus, resumed.nextRunAt, resumed.scheduleError], ['pending', at('15:00'), null]);
});

test('a run that fails later is a failure of its schedule, and one that succeeds ends the count', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  const fail = async (time: string) => {
    tandem.clock.set(at(time));
    await tandem.fire();
    const { latestRun } = await get(workspace, todo.id);
    await endRun(workspace, latestRun.chatId, { outcome: 'failed', errorMessage: 'The model gave up.' });
    return get(workspace, todo.id);
  };
  const first = await fail('09:00');
  assert.equal(
    [first.scheduleStatus, first.scheduleError.code, first.scheduleError.message],
    ['error', 'run_failed', 'The model gave up.'],
  );
  assert.is((await fail('10:00')).scheduleError.consecutiveFailures, 2);
  tandem.clock.set(at('11:00'));
  await tandem.fire();
  await endRun(workspace, (await get(workspace, todo.id)).latestRun.chatId, { outcome: 'completed' });
  assert.is((await fail('12:00')).scheduleError.consecutiveFailures, 1);
  for (const time of ['13:00', '14:00', '15:00']) await fail(time);
  assert.is((await fail('16:00')).scheduleStatus, 'disabled');
});

test('a run of the schedule before is neither a failure nor a success of the one that replaced it', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  const path = `/todos/${todo.id}`;
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  await workspace.call(`PATCH ${path}`, { schedule: { ...hourly, rrule: 'FREQ=HOURLY;BYMINUTE=30' } });
  await endRun(workspace, (await get(workspace, todo.id)).latestRun.chatId, { outcome: 'failed' });
  const after = await get(workspace, todo.id);
  assert.equal([after.latestRun.status, after.scheduleStatus, after.scheduleError], ['failed', 'pending', null]);
  tandem.clock.set(at('09:30'));
  await tandem.fire();
  await endRun(workspace, (await get(workspace, todo.id)).latestRun.chatId, { outcome: 'failed' });
  assert.is((await get(workspace, todo.id)).scheduleError.consecutiveFailures, 1, 'its own run');
});

test('a one-off that could not start is disabled with its todo, and spent when that is reopened', async () => {
  const workspace = await tandem.workspace();
  const { id } = await todoOf(workspace, { schedule: { runAt: at('09:00') }, assignees: [] });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const status = async () => (await get(workspace, id)).scheduleStatus;
  assert.is(await status(), 'error');
  const changes: [rest: string, wake: string, bodies: object[]][] = [
    ['PATCH', 'PATCH', [{ status: 'done' }, { status: 'ready' }]],
    ['DELETE', 'POST', []],
    ['PATCH', 'PATCH', [{ schedulePaused: true }, { schedulePaused: false }]],
  ];
  for (const [rest, wake, [first, second]] of changes) {
    await tandem.db.rows(`update todo_schedules set status = 'error' where todo_id = $1`, [id]);
    await workspace.call(`${rest} /todos/${id}`, first);
    assert.is(await status(), 'disabled', rest);
    await workspace.call(`${wake} /todos/${id}${wake === 'POST' ? '/restore' : ''}`, second);
    assert.is(await status(), 'completed', wake);
  }
});

test('a run that somebody cancels is no failure', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  await workspace.call(`POST /chats/${(await get(workspace, todo.id)).latestRun.chatId}/cancel`);
  const after = await get(workspace, todo.id);
  assert.equal([after.scheduleStatus, after.scheduleError], ['pending', null]);
});

test('a missed time is executed once if it is less than an hour late, and skipped if it is more', async () => {
  const workspace = await tandem.workspace();
  const quarter = await todoOf(workspace, { schedule: { rrule: 'FREQ=HOURLY;BYMINUTE=0,15,30,45', timezone: 'UTC' } });
  const daily = await todoOf(workspace, { schedule: { every: 'day', at: '09:00', timezone: 'UTC' } });
  const once = await todoOf(workspace, { schedule: { runAt: at('09:00') } });
  tandem.clock.set(at('10:00'));
  await tandem.fire();
  assert.equal(await cameOf(workspace, quarter.id), [
    [at('08:45'), 'missed'],
    [at('09:00'), 'missed'],
    [at('09:15'), 'missed'],
    [at('09:30'), 'missed'],
    [at('09:45'), 'missed'],
    [at('10:00'), 'fired'],
  ]);
  assert.equal(await cameOf(workspace, daily.id), [[at('09:00'), 'missed']], 'exactly an hour is too late');
  assert.is((await get(workspace, daily.id)).nextRunAt, '2031-05-04T09:00:00.000Z');
  assert.equal(await cameOf(workspace, once.id), [[at('09:00'), 'missed']]);
  assert.equal((await get(workspace, once.id)).scheduleStatus, 'completed');
  tandem.clock.set('2031-05-04T09:59:59.999Z');
  await tandem.fire();
  assert.equal((await cameOf(workspace, daily.id)).at(-1), ['2031-05-04T09:00:00.000Z', 'fired']);
});

test('after a year of downtime one check is enough: the schedule continues at its next time', async () => {
  const workspace = await tandem.workspace();
  const quarter = await todoOf(workspace, { schedule: { rrule: 'FREQ=HOURLY;BYMINUTE=0,15,30,45', timezone: 'UTC' } });
  tandem.clock.set('2032-05-03T08:50:00Z');
  const ms = await cpuMsOf(tandem.fire);
  assert.ok(ms < 5000, `${Math.round(ms)} ms of CPU`);
  const rows = await tandem.db.rows('select 1 from todo_occurrences where todo_id = $1', [quarter.id]);
  assert.ok(rows.length < 1000, `${rows.length} rows`);
  assert.is((await get(workspace, quarter.id)).nextRunAt, '2032-05-03T09:00:00.000Z');
  const [last] = (await workspace.call(`GET /todos/${quarter.id}/occurrences?limit=2`)).body.data.slice(1);
  assert.equal([last.plannedAt, last.status], ['2032-05-03T08:45:00.000Z', 'fired']);
});

test('done, archived, paused and ended schedules do not fire', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const [done, archived, paused, ended] = await Promise.all([1, 2, 3, 4].map(() => withAgent(workspace, hourly)));
  await call(`PATCH /todos/${done.id}`, { status: 'done' });
  await call(`DELETE /todos/${archived.id}`);
  await call(`PATCH /todos/${paused.id}`, { schedulePaused: true });
  await call(`PATCH /todos/${ended.id}`, { schedule: null });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  for (const { id } of [done, archived, paused, ended]) {
    assert.equal(await cameOf(workspace, id), []);
    assert.equal(await runsOf(workspace, id), []);
  }
});

test('the person who set the schedule left the workspace: no agent works in their name', async () => {
  const workspace = await tandem.workspace();
  const todo = await withAgent(workspace, hourly);
  const leaver = await addMember(tandem, workspace.workspaceId, 'Leaver', true);
  await tandem.db.rows('update todo_schedules set user_id = $2 where todo_id = $1', [todo.id, leaver]);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const after = await get(workspace, todo.id);
  assert.is(
    after.scheduleError.message,
    'The person who set this schedule is no longer a member of the workspace. Set the schedule again.',
  );
  assert.equal(await runsOf(workspace, todo.id), []);
});

test('an unexpected error skips one time of one schedule and does not delay others', async () => {
  const workspace = await tandem.workspace();
  const [bad, good] = [await todoOf(workspace, { schedule: hourly }), await todoOf(workspace, { schedule: hourly })];
  const world = worldOf(tandem, tandem.clock);
  tandem.clock.set(at('09:00'));
  const { createScheduler } = await import('../../server/scheduler/index.ts');
  const { pino } = await import('pino');
  const notify = async (_: unknown, { todo }: { todo: { id: string } }) => {
    if (todo.id === bad.id) throw new Error('a defect');
  };
  await createScheduler({ ctx: world, notifyDue: notify, log: pino({ level: 'silent' }) }).fireAll();
  const after = await get(workspace, bad.id);
  assert.equal(
    [after.scheduleStatus, after.scheduleError.code, after.nextRunAt],
    ['error', 'internal_error', at('10:00')],
  );
  assert.equal(await cameOf(workspace, good.id), [[at('09:00'), 'fired']]);
});

test('a schedule that can no longer be read is disabled, and holds up no other', async () => {
  const workspace = await tandem.workspace();
  const [bad, good] = [await todoOf(workspace, { schedule: hourly }), await todoOf(workspace, { schedule: hourly })];
  await tandem.db.rows(`update todo_schedules set rrule = 'FREQ=NEVER' where todo_id = $1`, [bad.id]);
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const [row] = await tandem.db.rows('select status, error_code, next_run_at from todo_schedules where todo_id = $1', [
    bad.id,
  ]);
  assert.equal({ ...row }, { status: 'disabled', error_code: 'internal_error', next_run_at: null });
  assert.is((await get(workspace, bad.id)).scheduleError.message, 'This schedule is no longer valid. Set it again.');
  assert.equal(await cameOf(workspace, good.id), [[at('09:00'), 'fired']]);
});

test('a todo that somebody holds is passed over, and fires once it is free', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: hourly });
  tandem.clock.set(at('09:00'));
  await tandem.db.transaction(async (tx) => {
    await tx.rows('select 1 from todos where workspace_id = $1 and id = $2 for update', [
      workspace.workspaceId,
      todo.id,
    ]);
    await tandem.fire();
    assert.equal(await cameOf(workspace, todo.id), []);
  });
  await tandem.fire();
  assert.equal(await cameOf(workspace, todo.id), [[at('09:00'), 'fired']]);
});

test('a time that fires while the schedule is being set again does not fire twice', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const todo = await withAgent(workspace, hourly);
  tandem.clock.set('2031-05-03T08:59:59.900Z');
  let setting: ReturnType<TestWorkspace['call']> | undefined;
  await tandem.db.transaction(async (tx) => {
    await tx.rows('select 1 from todos where workspace_id = $1 and id = $2 for update', [workspaceId, todo.id]);
    setting = workspace.call(`PATCH /todos/${todo.id}`, { schedule: hourly });
    await untilBlocked('%todos%for%update%', setting);
    tandem.clock.set(at('09:00'));
    await fireDue(worldOf(tandem, tandem.clock, { db: tx }), { workspaceId, todoId: todo.id }, notifyDue);
  });
  assert.is((await setting)?.status, 200);
  await endRun(workspace, (await get(workspace, todo.id)).latestRun.chatId, { outcome: 'completed' });
  await tandem.fire();
  assert.equal(await cameOf(workspace, todo.id), [[at('09:00'), 'fired']]);
  assert.is((await runsOf(workspace, todo.id)).length, 1);
  const after = await get(workspace, todo.id);
  assert.equal([after.scheduleStatus, after.scheduleError, after.nextRunAt], ['pending', null, at('10:00')]);
});

test('a time that fired stays so when a process whose clock is behind sets the schedule again', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: hourly });
  tandem.clock.set(at('09:00'));
  await tandem.fire();
  const fired = async () => (await workspace.call(`GET /todos/${todo.id}/occurrences`)).body.data.at(-1);
  const first = await fired();
  tandem.clock.set('2031-05-03T08:59:59.900Z');
  await workspace.call(`PATCH /todos/${todo.id}`, { schedule: hourly });
  assert.equal(await fired(), first);
  tandem.clock.set('2031-05-03T09:00:05.000Z');
  await tandem.fire();
  assert.equal(await fired(), first);
  assert.is((await get(workspace, todo.id)).nextRunAt, at('10:00'));
});

test('a lock in one workspace holds up the schedules of no other, and its own only until it ends', async () => {
  const [locked, other] = [await tandem.workspace(), await tandem.workspace()];
  const first = await todoOf(locked, { schedule: hourly });
  const second = await todoOf(other, { schedule: { ...hourly, rrule: 'FREQ=HOURLY;BYMINUTE=1' } });
  tandem.clock.set(at('09:02'));
  // Its connections wait two seconds for a lock.
  const world = worldOf(tandem, tandem.clock, { db: tandem.db.for('events') });
  const scheduler = schedulerOf(world, 1, 0);
  await tandem.db.transaction(async (tx) => {
    await tx.rows(`select set_config('idle_in_transaction_session_timeout', '0', true)`, []);
    const lock = 'select 1 from todo_schedules where workspace_id = $1 and todo_id = $2 for update';
    await tx.rows(lock, [locked.workspaceId, first.id]);
    await scheduler.fireAll();
    assert.equal(await cameOf(other, second.id), [[at('09:01'), 'fired']]);
    assert.equal(await cameOf(locked, first.id), []);
  });
  await until(async () => {
    await scheduler.fireAll();
    return (await cameOf(locked, first.id)).length > 0;
  });
  assert.equal(await cameOf(locked, first.id), [[at('09:00'), 'fired']]);
  await scheduler.stop(10);
});

test('started, it fires at the time and sees what was set meanwhile', async () => {
  const workspace = await tandem.workspace();
  const clock = { now: () => new Date(), set: () => {}, pass: () => {} };
  const [first, second] = [
    await todoOf(workspace, { schedule: hourly }),
    await todoOf(workspace, { schedule: hourly }),
  ];
  const move = `update todo_schedules set kind = 'one_off', rrule = null, starts_at = $2, next_run_at = $2 where todo_id = $1`;
  const dueAt = async (todoId: string, at: Date) => tandem.db.rows(move, [todoId, at.toISOString()]);
  const firedAt = async (todoId: string) => {
    const text = 'select fired_at from todo_occurrences where todo_id = $1';
    let row: { fired_at: string } | undefined;
    await until(async () => {
      [row] = await tandem.db.rows<{ fired_at: string }>(text, [todoId]);
      return row;
    });
    return Date.parse(row?.fired_at ?? '');
  };
  await dueAt(first.id, new Date());
  const scheduler = schedulerOf(worldOf(tandem, clock));
  // It never sleeps for longer than two seconds: longer timers do not end here.
  const thaw = freezeTimers(2200);
  try {
    scheduler.start();
    await firedAt(first.id);
    // It has found nothing else and sleeps.
    await sleep(300);
    const soon = new Date(Date.now() + 1500);
    await dueAt(second.id, soon);
    const late = (await firedAt(second.id)) - soon.getTime();
    assert.ok(late >= 0, `${late} ms late`);
  } finally {
    thaw();
    await scheduler.stop(10);
  }
});

test.run();
