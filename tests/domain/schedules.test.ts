import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plansOf } from '../../domain/schedules/planning.ts';
import { todosOf } from '../../domain/todos/rows.ts';
import type { TestWorkspace } from '../support/harness.ts';
import { asAgent, todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';
import { addMember, assistantOf, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('schedules of todos');
/** A Saturday. */
const start = '2031-03-01T08:30:20.250Z';
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled(start);
});
test.before.each(() => tandem.clock.set(start));
test.after(() => tandem.close());

const daily = { every: 'day', at: '09:00', timezone: 'UTC' };
const facts = [
  'rrule',
  'timezone',
  'nextRunAt',
  'lastRunAt',
  'scheduleType',
  'scheduleStatus',
  'scheduleError',
] as const;

/** What an answer says of the schedule. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
function scheduleIn(todo: any) {
  return Object.fromEntries(facts.map((name) => [name, todo[name]]));
}

const none = {
  rrule: null,
  timezone: null,
  nextRunAt: null,
  lastRunAt: null,
  scheduleType: null,
  scheduleStatus: null,
  scheduleError: null,
};
const everyDay = {
  rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
  timezone: 'UTC',
  nextRunAt: '2031-03-01T09:00:00.000Z',
  lastRunAt: null,
  scheduleType: 'recurring',
  scheduleStatus: 'pending',
  scheduleError: null,
};

async function patch({ call }: TestWorkspace, id: string, body: object) {
  const answer = await call(`PATCH /todos/${id}`, body);
  assert.is(answer.status, 200, answer.text);
  return answer.body;
}

async function get({ call }: TestWorkspace, id: string) {
  const answer = await call(`GET /todos/${id}`);
  assert.is(answer.status, 200, answer.text);
  return answer.body;
}

test('a todo without a schedule says so in every field', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace);
  assert.equal(scheduleIn(todo), none);
  assert.equal((await get(workspace, todo.id)).upcomingRuns, []);
});

test('a schedule given at creation is in the answer, in a read, in a list, and has its next five times', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  assert.equal(scheduleIn(todo), everyDay);
  assert.equal(
    todo.upcomingRuns,
    [1, 2, 3, 4, 5].map((day) => `2031-03-0${day}T09:00:00.000Z`),
  );
  assert.equal(await get(workspace, todo.id), todo);
  assert.equal((await workspace.call('GET /todos')).body.data, [todo]);
});

test('a batch sets the schedule of each todo that has one, and creation with an agent keeps it', async () => {
  const workspace = await tandem.workspace();
  const agent = await assistantOf(tandem, workspace.workspaceId);
  const data = [
    { title: 'plain' },
    { title: 'daily', schedule: daily },
    { title: 'run', schedule: { runAt: '2031-04-01T10:00:00+02:00' }, assignees: [{ id: agent }], run: true },
  ];
  const { body } = await workspace.call('POST /todos/batch', { data });
  const [plain, repeated, once] = body.data.map(scheduleIn);
  assert.equal(plain, none);
  assert.equal(repeated, everyDay);
  const oneOff = { ...none, timezone: 'UTC', nextRunAt: '2031-04-01T08:00:00.000Z' };
  assert.equal({ ...once, lastRunAt: null }, { ...oneOff, scheduleType: 'one_off', scheduleStatus: 'pending' });
});

test('the zone of the workspace holds where a schedule names none', async () => {
  const workspace = await tandem.workspace();
  await tandem.db.rows(`update workspaces set timezone = 'Asia/Tokyo' where id = $1`, [workspace.workspaceId]);
  const { timezone, nextRunAt } = await todoOf(workspace, { schedule: { every: 'day', at: '09:00' } });
  assert.equal([timezone, nextRunAt], ['Asia/Tokyo', '2031-03-02T00:00:00.000Z']);
});

test('an update sets, replaces and ends a schedule, and changes updatedAt', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace);
  const set = await patch(workspace, todo.id, { schedule: daily });
  assert.equal(scheduleIn(set), everyDay);
  assert.ok(set.updatedAt >= todo.updatedAt);
  const replaced = await patch(workspace, todo.id, {
    schedule: { rrule: 'rrule:freq=monthly;bymonthday=-1;byhour=7;byminute=0' },
  });
  assert.equal(scheduleIn(replaced), {
    ...everyDay,
    rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=7;BYMINUTE=0',
    nextRunAt: '2031-03-31T07:00:00.000Z',
  });
  assert.equal(scheduleIn(await patch(workspace, todo.id, { schedule: null })), none);
  assert.equal(scheduleIn(await patch(workspace, todo.id, { schedule: null })), none);
});

test('a change of something else leaves the schedule alone', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const changed = await patch(workspace, todo.id, { title: 'Other', status: 'in_progress', priority: 'high' });
  assert.equal(scheduleIn(changed), everyDay);
});

test('pausing stops a schedule and resuming continues at its next time to come', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const paused = await patch(workspace, todo.id, { schedulePaused: true });
  assert.equal(scheduleIn(paused), { ...everyDay, scheduleStatus: 'disabled', nextRunAt: null });
  assert.equal((await get(workspace, todo.id)).upcomingRuns, []);
  tandem.clock.pass(3 * 24 * 60);
  await tandem.fire();
  const resumed = await patch(workspace, todo.id, { schedulePaused: false });
  assert.equal(scheduleIn(resumed), { ...everyDay, nextRunAt: '2031-03-04T09:00:00.000Z' });
  assert.equal(scheduleIn(await patch(workspace, todo.id, { schedulePaused: false })), scheduleIn(resumed));
});

test('a schedule that is set together with a pause begins paused', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace);
  const paused = await patch(workspace, todo.id, { schedule: daily, schedulePaused: true });
  assert.equal(scheduleIn(paused), { ...everyDay, scheduleStatus: 'disabled', nextRunAt: null });
});

test('schedules of done and archived todos stop; those of reopened and restored todos continue', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const todo = await todoOf(workspace, { schedule: daily });
  const resting = { ...everyDay, scheduleStatus: 'disabled', nextRunAt: null };
  assert.equal(scheduleIn(await patch(workspace, todo.id, { status: 'done' })), resting);
  await call(`DELETE /todos/${todo.id}`);
  assert.equal(scheduleIn(await patch(workspace, todo.id, { status: 'ready' })), resting, 'still archived');
  assert.equal(scheduleIn((await call(`POST /todos/${todo.id}/restore`)).body), everyDay);
  await call(`DELETE /todos/${todo.id}`);
  assert.equal(scheduleIn(await get(workspace, todo.id)), resting);
  tandem.clock.pass(60);
  const restored = scheduleIn((await call(`POST /todos/${todo.id}/restore`)).body);
  assert.equal(restored, { ...everyDay, nextRunAt: '2031-03-02T09:00:00.000Z' });
});

test('a paused schedule stays paused when its todo is reopened, and a rested one-off whose time passed is spent', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  await patch(workspace, todo.id, { schedulePaused: true });
  await patch(workspace, todo.id, { status: 'done' });
  assert.is((await patch(workspace, todo.id, { status: 'ready' })).scheduleStatus, 'disabled');

  const once = await todoOf(workspace, { schedule: { runAt: '2031-03-01T10:00:00Z' } });
  await patch(workspace, once.id, { status: 'done' });
  tandem.clock.pass(24 * 60);
  const late = await patch(workspace, once.id, { status: 'ready' });
  assert.equal([late.scheduleStatus, late.nextRunAt], ['completed', null]);
});

test('bulk changes set, pause and rest the schedules of all, all or none; a dry run changes none', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const ids = [(await todoOf(workspace)).id, (await todoOf(workspace, { schedule: daily })).id];
  const refusedAnswer = await call('POST /todos/bulk', { ids, patch: { schedulePaused: true } });
  refused(refusedAnswer, 400, 'patch.schedulePaused');
  const dry = await call('POST /todos/bulk', { ids, patch: { schedule: daily }, dryRun: true });
  assert.equal(dry.body.data.map(scheduleIn), [everyDay, everyDay]);
  assert.equal(scheduleIn(await get(workspace, ids[0])), none);
  const set = await call('POST /todos/bulk', { ids, patch: { schedule: daily } });
  assert.equal(set.body.data.map(scheduleIn), [everyDay, everyDay]);
  const archived = await call('POST /todos/bulk', { ids, archive: true });
  assert.equal(
    archived.body.data.map((todo: { scheduleStatus: string }) => todo.scheduleStatus),
    ['disabled', 'disabled'],
  );
  refused(
    await call('POST /todos/bulk', { ids, patch: { schedule: { every: 'day', at: '24:00' } } }),
    400,
    'patch.schedule.at',
  );
});

test('the tag of a read works in If-Match of a write, also with a schedule', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const read = await workspace.call(`GET /todos/${todo.id}`);
  const etag = read.headers.get('etag') ?? '';
  const again = await workspace.call(`GET /todos/${todo.id}`, undefined, { headers: { 'if-none-match': etag } });
  assert.is(again.status, 304);
  const headers = { 'if-match': etag };
  assert.is((await workspace.call(`PATCH /todos/${todo.id}`, { schedulePaused: true }, { headers })).status, 200);
  assert.is((await workspace.call(`PATCH /todos/${todo.id}`, { schedulePaused: false }, { headers })).status, 412);
});

test('what makes no sense in a schedule is refused by the path of the field at fault', async () => {
  const { call } = await tandem.workspace();
  const cases: [object, string][] = [
    [{}, 'schedule'],
    [{ timezone: 'UTC' }, 'schedule'],
    [{ rrule: 'FREQ=DAILY', runAt: '2031-04-01T00:00:00Z' }, 'schedule.runAt'],
    [{ rrule: 'FREQ=DAILY', every: 'day' }, 'schedule.every'],
    [{ rrule: 'FREQ=DAILY', at: '09:00' }, 'schedule.at'],
    [{ rrule: 'FREQ=DAILY', timezone: 'Mars/Base' }, 'schedule.timezone'],
    [{ rrule: 'FREQ=DAILY', startAt: '2031-03-02' }, 'schedule.startAt'],
    [{ rrule: 'FREQ=DAILY;BYHOUR=99' }, 'schedule.rrule'],
    [{ rrule: 'FREQ=DAILY;BYHOURS=9' }, 'schedule.rrule'],
    [{ rrule: 'FREQ=MINUTELY' }, 'schedule.rrule'],
    [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'schedule.rrule'],
    [{ rrule: 'FREQ=DAILY;COUNT=2', startAt: '2031-01-01T00:00:00Z' }, 'schedule.rrule'],
    [{ runAt: '2031-03-01T08:30:20Z' }, 'schedule.runAt'],
    [{ runAt: '2031-03-01T09:00:00' }, 'schedule.runAt'],
    [{ runAt: '9999-12-31T23:30:00-01:00' }, 'schedule.runAt'],
    [{ rrule: 'FREQ=DAILY', startAt: '0001-01-01T00:00:00+01:00' }, 'schedule.startAt'],
    [{ runAt: '2031-04-01T09:00:00Z', startAt: '2031-04-01T09:00:00Z' }, 'schedule.startAt'],
    [{ every: 'fortnight' }, 'schedule.every'],
    [{ every: 'week', on: ['mon', 'mon'] }, 'schedule.on[1]'],
    [{ every: 'week', on: ['mon', 'monday'] }, 'schedule.on[1]'],
    [{ every: 'week', on: [] }, 'schedule.on'],
    [{ every: 'day', on: ['mon'] }, 'schedule.on'],
    [{ every: 'weekday', interval: 2 }, 'schedule.interval'],
    [{ every: 'hour', at: '09:00' }, 'schedule.at'],
    [{ every: 'week', dayOfMonth: 3 }, 'schedule.dayOfMonth'],
    [{ every: 'month', dayOfMonth: 0 }, 'schedule.dayOfMonth'],
    [{ every: 'month', dayOfMonth: 32 }, 'schedule.dayOfMonth'],
    [{ every: 'day', interval: 0 }, 'schedule.interval'],
    [{ every: 'day', at: '9:00' }, 'schedule.at'],
    [{ every: 'day', until: '2031-02-28' }, 'schedule.until'],
    [{ every: 'day', until: '2031-02-30' }, 'schedule.until'],
    [{ every: 'day', count: 0 }, 'schedule.count'],
    [{ every: 'day', count: 3, until: '2031-12-31' }, 'schedule.count'],
    [{ every: 'day', sometimes: true }, 'schedule.sometimes'],
  ];
  for (const [schedule, param] of cases) {
    const answer = await call('POST /todos', { title: 'x', schedule });
    refused(answer, 400, param);
    refused(
      await call('POST /todos/batch', { data: [{ title: 'x' }, { title: 'x', schedule }] }),
      400,
      `data[1].${param}`,
    );
    refused(await call('POST /todos/schedule-preview', { schedule }), 400, param);
  }
  assert.equal((await call('GET /todos')).body.data, [], 'nothing was made');
});

test('times end with the last year that can be written', async () => {
  const { call } = await tandem.workspace();
  const preview = async (schedule: object) => (await call('POST /todos/schedule-preview', { schedule })).body;
  const last = { rrule: 'FREQ=DAILY;BYHOUR=0;BYMINUTE=0', startAt: '9999-12-30T00:00:00Z', timezone: 'UTC' };
  assert.equal((await preview(last)).upcomingRuns, ['9999-12-30T00:00:00.000Z', '9999-12-31T00:00:00.000Z']);
  const west = { every: 'day', at: '09:00', until: '9999-12-31', timezone: 'America/New_York' };
  assert.match((await preview(west)).rrule, /UNTIL=99991231T235959Z/);
});

test('there is nothing to pause without a schedule', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace);
  refused(await workspace.call(`PATCH /todos/${todo.id}`, { schedulePaused: true }), 400, 'schedulePaused');
  refused(
    await workspace.call(`PATCH /todos/${todo.id}`, { schedule: null, schedulePaused: true }),
    400,
    'schedulePaused',
  );
  refused(await workspace.call(`PATCH /todos/${unknownId}`, { schedulePaused: true }), 404, 'todoId');
});

test('a preview returns the rule, its description and the next times, with todos:read alone, and creates nothing', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['todos:read']);
  const schedule = { every: 'weekday', at: '09:00', timezone: 'Europe/Berlin' };
  const { status, body } = await workspace.call('POST /todos/schedule-preview', { schedule }, { key });
  assert.is(status, 200);
  assert.equal(body, {
    object: 'schedule_preview',
    rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0',
    timezone: 'Europe/Berlin',
    description: 'Every weekday at 09:00 (Europe/Berlin)',
    upcomingRuns: [3, 4, 5, 6, 7].map((day) => `2031-03-0${day}T08:00:00.000Z`),
  });
  const once = { schedule: { runAt: '2031-03-30T03:00:00+02:00', timezone: 'Europe/Berlin' } };
  assert.equal((await workspace.call('POST /todos/schedule-preview', once, { key })).body, {
    object: 'schedule_preview',
    rrule: null,
    timezone: 'Europe/Berlin',
    description: 'Once, on 30 March 2031 at 03:00 (Europe/Berlin)',
    upcomingRuns: ['2031-03-30T01:00:00.000Z'],
  });
});

test('the words of a schedule become the rule that they mean', async () => {
  const { call } = await tandem.workspace();
  const cases: [object, string, string][] = [
    [{ every: 'hour' }, 'FREQ=HOURLY', '2031-03-01T09:30:00.000Z'],
    [{ every: 'hour', interval: 6 }, 'FREQ=HOURLY;INTERVAL=6', '2031-03-01T14:30:00.000Z'],
    [{ every: 'hour', on: ['mon'] }, 'FREQ=HOURLY;BYDAY=MO', '2031-03-03T00:30:00.000Z'],
    [{ every: 'day' }, 'FREQ=DAILY;BYHOUR=8;BYMINUTE=30', '2031-03-02T08:30:00.000Z'],
    [
      { every: 'day', interval: 3, at: '07:05' },
      'FREQ=DAILY;INTERVAL=3;BYHOUR=7;BYMINUTE=5',
      '2031-03-04T07:05:00.000Z',
    ],
    [{ every: 'week', at: '10:00' }, 'FREQ=WEEKLY;BYHOUR=10;BYMINUTE=0', '2031-03-01T10:00:00.000Z'],
    [
      { every: 'week', interval: 2, on: ['thu', 'mon'], at: '10:00' },
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;BYHOUR=10;BYMINUTE=0',
      '2031-03-10T10:00:00.000Z',
    ],
    [{ every: 'month', at: '10:00' }, 'FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=10;BYMINUTE=0', '2031-03-01T10:00:00.000Z'],
    [
      { every: 'month', dayOfMonth: 31, at: '10:00' },
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=10;BYMINUTE=0',
      '2031-03-31T10:00:00.000Z',
    ],
    [
      { every: 'month', dayOfMonth: -1, at: '10:00' },
      'FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=10;BYMINUTE=0',
      '2031-03-31T10:00:00.000Z',
    ],
    [
      { every: 'year', at: '10:00' },
      'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYHOUR=10;BYMINUTE=0',
      '2031-03-01T10:00:00.000Z',
    ],
    [{ every: 'day', at: '10:00', count: 3 }, 'FREQ=DAILY;BYHOUR=10;BYMINUTE=0;COUNT=3', '2031-03-01T10:00:00.000Z'],
    [
      { every: 'day', at: '10:00', until: '2031-03-02', timezone: 'America/New_York' },
      'FREQ=DAILY;BYHOUR=10;BYMINUTE=0;UNTIL=20310303T045959Z',
      '2031-03-01T15:00:00.000Z',
    ],
  ];
  for (const [given, rrule, first] of cases) {
    const schedule = { timezone: 'UTC', ...given };
    const { body, text } = await call('POST /todos/schedule-preview', { schedule });
    assert.equal([body.rrule, body.upcomingRuns?.[0]], [rrule, first], text);
  }
});

test('the tools set, pause and end a schedule, and get_todo returns its next times', async () => {
  const workspace = await tandem.workspace();
  const agentId = await assistantOf(tandem, workspace.workspaceId);
  const tools = asAgent(tandem, workspace, { agentId, turnId: unknownId, chatId: unknownId, todoId: null });
  const made = await tools('create_todo', { title: 'Report', schedule: { every: 'week', on: ['mon'], at: '09:00' } });
  assert.equal([made.todo.rrule, made.todo.scheduleStatus], ['FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0', 'pending']);
  const { todo } = await tools('get_todo', { todoId: made.todo.id });
  assert.is(todo.upcomingRuns.length, 5);
  assert.is(todo.upcomingRuns[0], todo.nextRunAt);
  const change = async (patch: object) => (await tools('update_todo', { todoId: todo.id, ...patch })).todo;
  assert.is((await change({ schedulePaused: true })).scheduleStatus, 'disabled');
  assert.is((await change({ schedulePaused: false })).nextRunAt, todo.nextRunAt);
  assert.is((await change({ schedule: null })).scheduleStatus, null);
});

test('another workspace can neither read nor change a schedule of this one', async () => {
  const [mine, other] = [await tandem.workspace(), await tandem.workspace()];
  const todo = await todoOf(mine, { schedule: daily });
  refused(await other.call(`PATCH /todos/${todo.id}`, { schedule: null }), 404, 'todoId');
  assert.equal(scheduleIn(await get(mine, todo.id)), everyDay);
  assert.ok(await addMember(tandem, mine.workspaceId, 'Ann'));
});

/** How often others had their turn while `work` was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const take = () => {
    turns++;
    if (!isOver) setImmediate(take);
  };
  setImmediate(take);
  await work();
  isOver = true;
  return turns;
}

test('schedules that take long to work out give others their turns in between', async () => {
  const ctx = { clock: () => new Date(start), principal: {}, db: {} } as unknown as Parameters<typeof plansOf>[0];
  // Rare days, which are searched for a hundred years.
  const timing = { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', timezone: 'UTC' };
  const timings = Array.from({ length: 100 }, () => timing);
  const planning = await turnsDuring(async () => {
    const plans = await plansOf(ctx, timings, String);
    assert.is(plans.filter(Boolean).length, timings.length);
  });
  assert.ok(planning > 2, String(planning));

  const times = { starts_at: '2031-03-01T08:30:00Z', next_run_at: '2044-02-29T08:30:00Z' };
  const rows = timings.map(() => ({ schedule: { kind: 'recurring', ...timing, ...times }, latestRun: null }));
  const listing = await turnsDuring(async () => {
    const listed = await todosOf(rows as unknown as Parameters<typeof todosOf>[0]);
    assert.ok(listed.every(({ upcomingRuns }) => upcomingRuns.length === 4));
  });
  assert.ok(listing > 2, String(listing));
});

test.run();
