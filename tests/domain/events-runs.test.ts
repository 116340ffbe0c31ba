import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { followedWorkspace } from '../support/event-log.ts';
import { endWork } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';
import { addAgent, assistantOf } from '../support/todo-fixtures.ts';

const test = suite('events of runs, schedules and occurrences');
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled('2026-03-02T08:00:00.000Z');
});
test.after(() => tandem.close());

/** A workspace, its assistant, and the events since the last look. */
async function world() {
  const workspace = await followedWorkspace(tandem);
  const agentId = await assistantOf(tandem, workspace.workspaceId);
  return { ...workspace, agentId, agent: [{ id: agentId }] };
}

const daily = { every: 'day', at: '09:00' };
const nextFields = ['nextRunAt', 'upcomingRuns'];
const runFields = ['lastRunAt', 'latestRun'];

test('a run that starts is one event, and a change of its todo unless that is new', async () => {
  const { does, makes, agent, agentId } = await world();
  const made = await does('POST /todos', { title: 'a', assignees: agent, run: true });
  const { id, latestRun } = made.body;
  assert.equal(made.events, [
    ['todo.created', id],
    ['todo_run.started', latestRun.id],
  ]);
  assert.equal(made.stored[1]?.parents, { todoId: id, chatId: latestRun.chatId, agentId });
  const { id: other } = await makes('POST /todos', { title: 'b' });
  const assigned = await does(`PATCH /todos/${other}`, { assignees: agent, title: 'c' });
  assert.equal(assigned.events, [
    ['todo_run.started', assigned.body.latestRun.id],
    ['todo.updated', other, 'title', 'assignees', ...runFields],
  ]);
  const { id: third } = await makes('POST /todos', { title: 'b' });
  const run = await does(`POST /todos/${third}/runs`);
  assert.equal(run.events, [
    ['todo_run.started', run.body.id],
    ['todo.updated', third, ...runFields],
  ]);
  assert.equal((await does(`POST /todos/${third}/runs`)).events, [], 'it runs already');
});

test('a run that ends is one event, and a change of its todo', async () => {
  const { makes, recent, workspaceId } = await world();
  for (const ending of [
    { outcome: 'completed', summary: 'Done.' },
    { outcome: 'failed', errorMessage: 'It broke.' },
    { outcome: 'cancelled' },
  ] as const) {
    const { id } = await makes('POST /todos', { title: 'a' });
    const run = await makes(`POST /todos/${id}/runs`);
    await recent();
    await endWork(tandem, workspaceId, run.chatId, ending);
    const more = { completed: ['summary'], failed: ['errorMessage'], cancelled: [] }[ending.outcome];
    assert.equal(await recent(), [
      ['todo_run.finished', run.id, 'status', 'finishedAt', ...more],
      ['todo.updated', id, 'latestRun'],
    ]);
  }
});

test('completing a todo ends its run and its schedule: one event for each of them', async () => {
  const { does, makes, agent } = await world();
  const { id, latestRun } = await makes('POST /todos', { title: 'a', assignees: agent, run: true, schedule: daily });
  const done = await does(`PATCH /todos/${id}`, { status: 'done' });
  assert.equal(done.events, [
    ['todo_run.finished', latestRun.id, 'status', 'finishedAt'],
    ['todo.completed', id, 'status', ...nextFields, 'scheduleStatus', 'latestRun'],
  ]);
  const open = await does(`PATCH /todos/${id}`, { status: 'ready' });
  assert.equal(open.events, [['todo.reopened', id, 'status', ...nextFields, 'scheduleStatus']]);
  const archived = await does(`DELETE /todos/${id}`);
  assert.equal(archived.events, [['todo.archived', id, 'isArchived', ...nextFields, 'scheduleStatus']]);
  const restored = await does(`POST /todos/${id}/restore`);
  assert.equal(restored.events, [['todo.restored', id, 'isArchived', ...nextFields, 'scheduleStatus']]);
});

test('a schedule that is set, paused, resumed and ended changes its todo', async () => {
  const { does, makes } = await world();
  const { id } = await makes('POST /todos', { title: 'a' });
  const change = async (patch: object) => (await does(`PATCH /todos/${id}`, patch)).events;
  const facts = ['rrule', 'timezone', ...nextFields, 'scheduleType', 'scheduleStatus'];
  assert.equal(await change({ schedule: null }), [], 'there was none');
  assert.equal(await change({ schedule: daily }), [['todo.updated', id, ...facts]]);
  assert.equal(await change({ schedulePaused: false }), []);
  const paused = [['todo.updated', id, ...nextFields, 'scheduleStatus']];
  assert.equal(await change({ schedulePaused: true }), paused);
  assert.equal(await change({ schedulePaused: true }), []);
  assert.equal(await change({ schedulePaused: false }), paused);
  assert.equal(await change({ schedule: null, title: 'b' }), [['todo.updated', id, 'title', ...facts]]);
});

test('an occurrence is one event when it is skipped or marked done, and gone with another schedule', async () => {
  const { does, makes } = await world();
  const { id } = await makes('POST /todos', { title: 'a', schedule: daily });
  const [{ id: occurrence }] = (await makes(`GET /todos/${id}/occurrences`)).data;
  const set = async (status: string) => (await does(`PATCH /todos/${id}/occurrences/${occurrence}`, { status })).events;
  assert.equal(await set('skipped'), [
    ['todo_occurrence.updated', occurrence, 'status'],
    ['todo.updated', id, ...nextFields],
  ]);
  assert.equal(await set('skipped'), []);
  assert.equal(await set('done'), [['todo_occurrence.updated', occurrence, 'status']]);
  const replaced = await does(`PATCH /todos/${id}`, { schedule: { every: 'day', at: '10:00' } });
  assert.equal(replaced.events, [
    ['todo.updated', id, 'rrule', ...nextFields],
    ['todo_occurrence.deleted', occurrence],
  ]);
});

test('a schedule that fires is an occurrence, a run or a notification, and one change of its todo', async () => {
  const { makes, recent, agent } = await world();
  const mine = await makes('POST /todos', { title: 'a', schedule: daily });
  const [{ id: first }] = (await makes(`GET /todos/${mine.id}/occurrences`)).data;
  await recent();
  tandem.clock.set('2026-03-02T09:00:00.000Z');
  await tandem.fire();
  const notified = ['lastRunAt', 'lastNotificationStatus', 'lastNotificationSentAt'];
  assert.equal(await recent(), [
    ['todo_occurrence.fired', first, 'firedAt', 'status'],
    ['todo.updated', mine.id, ...nextFields, ...notified],
  ]);
  await makes(`DELETE /todos/${mine.id}`);
  const its = await makes('POST /todos', { title: 'b', schedule: daily, assignees: agent });
  const [{ id: second }] = (await makes(`GET /todos/${its.id}/occurrences`)).data;
  await recent();
  tandem.clock.set('2026-03-03T09:00:00.000Z');
  await tandem.fire();
  const { latestRun } = await makes(`GET /todos/${its.id}`);
  assert.equal(await recent(), [
    ['todo_run.started', latestRun.id],
    ['todo_occurrence.fired', second, 'firedAt', 'status', 'runId'],
    ['todo.updated', its.id, ...nextFields, ...runFields],
  ]);
  const [{ id: third }] = (await makes(`GET /todos/${its.id}/occurrences`)).data;
  tandem.clock.set('2026-03-04T09:00:00.000Z');
  await tandem.fire();
  assert.equal(await recent(), [
    ['todo_occurrence.updated', third, 'status'],
    ['schedule.failed', its.id],
    ['todo.updated', its.id, 'scheduleError', ...nextFields, 'scheduleStatus'],
  ]);
  await makes(`DELETE /todos/${its.id}`);
});

test('times that were missed are events, and a failure of the schedule or of its run is one', async () => {
  const { makes, recent, workspaceId } = await world();
  const agentId = await addAgent(tandem, workspaceId, 'Scout');
  const { id } = await makes('POST /todos', { title: 'a', schedule: daily, assignees: [{ id: agentId }] });
  const [{ id: first }] = (await makes(`GET /todos/${id}/occurrences`)).data;
  await recent();
  tandem.clock.set('2026-03-05T11:00:00.000Z');
  await tandem.fire();
  assert.equal(await recent(), [
    ['todo_occurrence.missed', first, 'status'],
    ['todo.updated', id, ...nextFields],
  ]);
  tandem.clock.set('2026-03-06T09:00:00.000Z');
  await tandem.fire();
  const { latestRun } = await makes(`GET /todos/${id}`);
  await recent();
  await endWork(tandem, workspaceId, latestRun.chatId, { outcome: 'failed', errorMessage: 'It broke.' });
  assert.equal(await recent(), [
    ['schedule.failed', id],
    ['todo_run.finished', latestRun.id, 'status', 'finishedAt', 'errorMessage'],
    ['todo.updated', id, 'scheduleError', 'scheduleStatus', 'latestRun'],
  ]);
});

test.run();
