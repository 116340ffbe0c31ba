import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReminders } from '../../server/scheduler/reminders.ts';
import { notOnCluster } from '../support/citus.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { type ScheduledService, startScheduled, worldOf } from '../support/schedule-world.ts';
import { addMember, refused, unknownId } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('reminders of due dates');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
const start = '2033-03-01T00:00:00.000Z';
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled(start);
});
test.before.each(() => tandem.clock.set(start));
test.after(() => tandem.close());

const remindersOf = () => createReminders({ ctx: worldOf(tandem, tandem.clock), log: pino({ level: 'silent' }) });
const sendAt = (instant: string) => {
  tandem.clock.set(instant);
  return remindersOf().sendAll();
};

type Call = Awaited<ReturnType<ScheduledService['workspace']>>['call'];

async function todoDue(call: Call, dueDate: string) {
  const { body } = await call('POST /todos', { title: 'Pay the rent', dueDate });
  return body;
}

async function remind(call: Call, todoId: string, body: object = {}) {
  const answer = await call(`POST /todos/${todoId}/reminders`, { timezone: 'Europe/Berlin', ...body });
  assert.is(answer.status, 201, answer.text);
  return answer.body;
}

const remindAtOf = async (call: Call, todoId: string) =>
  (await call(`GET /todos/${todoId}/reminders`)).body.data.map((each: { remindAt: string | null }) => each.remindAt);

interface Sent {
  kind: string;
  title: string;
  text: string;
  userId: string;
}

const sentIn = (workspaceId: string) =>
  tandem.db.rows<Sent>(
    `select kind, title, text, user_id as "userId" from notifications where workspace_id = $1 order by created_at, id`,
    [workspaceId],
  );

test('a reminder is a day and a time before the due date, in its time zone; the same again is the one there is', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-28');
  const reminder = await remind(call, id, { daysBefore: 2, time: '08:30' });
  const { createdAt } = reminder;
  assert.equal(reminder, {
    object: 'reminder',
    id: reminder.id,
    todoId: id,
    daysBefore: 2,
    time: '08:30',
    timezone: 'Europe/Berlin',
    remindAt: '2033-03-26T07:30:00.000Z',
    createdAt,
  });
  assert.equal(await remind(call, id, { daysBefore: 2, time: '08:30' }), reminder);
  // The clock changes on March 27 that year.
  assert.is((await remind(call, id)).remindAt, '2033-03-28T07:00:00.000Z');
  assert.equal(await remindAtOf(call, id), ['2033-03-26T07:30:00.000Z', '2033-03-28T07:00:00.000Z']);
  const made = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'reminder.created');
  assert.is(made.length, 2);
  assert.ok(made.every(({ readerId, parents }) => readerId !== null && parents.todoId === id));
});

test('a time that the clocks repeat is the first of both, and one that they skip moves forward', async () => {
  const { call } = await tandem.workspace();
  const instants: [day: string, time: string, timezone: string, remindAt: string][] = [
    ['2033-10-30', '02:30', 'Europe/Berlin', '2033-10-30T00:30:00.000Z'],
    ['2033-10-30', '03:00', 'Europe/Berlin', '2033-10-30T02:00:00.000Z'],
    ['2033-11-06', '01:00', 'America/New_York', '2033-11-06T05:00:00.000Z'],
    ['2034-04-02', '01:45', 'Australia/Lord_Howe', '2034-04-01T14:45:00.000Z'],
    ['2033-03-27', '02:30', 'Europe/Berlin', '2033-03-27T01:30:00.000Z'],
    ['2033-10-02', '02:10', 'Australia/Lord_Howe', '2033-10-01T15:40:00.000Z'],
  ];
  for (const [day, time, timezone, remindAt] of instants) {
    const { id } = await todoDue(call, day);
    assert.is((await remind(call, id, { time, timezone })).remindAt, remindAt, `${day} ${time} ${timezone}`);
  }
  const { id } = await todoDue(call, '2033-10-29');
  await remind(call, id, { time: '02:30' });
  await call(`PATCH /todos/${id}`, { dueDate: '2033-10-30' });
  assert.equal(await remindAtOf(call, id), ['2033-10-30T00:30:00.000Z']);
});

test('a reminder of the last day that there is comes in the last year', async () => {
  const { call } = await tandem.workspace();
  const { id } = await todoDue(call, '9999-12-31');
  const { remindAt } = await remind(call, id, { time: '23:00', timezone: 'America/New_York' });
  assert.is(remindAt, '9999-12-31T23:59:59.000Z');
});

test('it is sent once, when its time has come, to the person who set it', async () => {
  const { call, workspaceId, userId } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-10');
  await remind(call, id, { daysBefore: 1 });
  assert.is(await sendAt('2033-03-09T07:59:59.999Z'), 0);
  assert.is(await sendAt('2033-03-09T08:00:00.000Z'), 1);
  assert.is(await sendAt('2033-03-20T08:00:00.000Z'), 0);
  assert.equal(await sentIn(workspaceId), [
    {
      kind: 'todo_reminder',
      title: 'Reminder: “Pay the rent” is due on Thursday, March 10, 2033',
      text: 'You asked to be reminded the day before at 09:00 (Europe/Berlin).',
      userId,
    },
  ]);
  assert.equal(await remindAtOf(call, id), [null]);
});

test('several processes send each reminder once', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const data = Array.from({ length: 40 }, (_, place) => ({ title: `Todo ${place}`, dueDate: '2033-03-10' }));
  const { body } = await call('POST /todos/batch', { data });
  for (const { id } of body.data) await remind(call, id);
  tandem.clock.set('2033-04-01T00:00:00.000Z');
  const counts = await Promise.all(Array.from({ length: 4 }, () => remindersOf().sendAll()));
  // Those of other tests may be due too.
  assert.ok(counts.reduce((sum, count) => sum + count, 0) >= 40);
  const titles = new Set((await sentIn(workspaceId)).map(({ title }) => title));
  assert.is((await sentIn(workspaceId)).length, 40);
  assert.is(titles.size, 40);
});

onPostgres('a lock in one workspace holds up the reminders of no other, and its own only until it ends', async () => {
  const [locked, other] = [await tandem.workspace(), await tandem.workspace()];
  await remind(locked.call, (await todoDue(locked.call, '2033-03-10')).id, { daysBefore: 1 });
  await remind(other.call, (await todoDue(other.call, '2033-03-10')).id);
  tandem.clock.set('2033-03-11T00:00:00.000Z');
  // Its connections wait two seconds for a lock.
  const ctx = worldOf(tandem, tandem.clock, { db: tandem.db.for('events') });
  const reminders = createReminders({ ctx, log: pino({ level: 'silent' }), heldMs: 0 });
  await tandem.db.transaction(async (tx) => {
    await tx.rows(`select set_config('idle_in_transaction_session_timeout', '0', true)`, []);
    // A notification refers to its member.
    await tx.rows('select 1 from members where workspace_id = $1 for update', [locked.workspaceId]);
    await reminders.sendAll();
    assert.is((await sentIn(other.workspaceId)).length, 1);
    assert.is((await sentIn(locked.workspaceId)).length, 0);
  });
  await until(async () => {
    await reminders.sendAll();
    return (await sentIn(locked.workspaceId)).length > 0;
  });
  assert.is((await sentIn(locked.workspaceId)).length, 1);
  await reminders.stop(10);
});

test('it moves with the due date, and is sent again for a later one', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-10');
  await remind(call, id);
  await call(`PATCH /todos/${id}`, { dueDate: '2033-03-12' });
  assert.equal(await remindAtOf(call, id), ['2033-03-12T08:00:00.000Z']);
  await call('POST /todos/bulk', { ids: [id], patch: { dueDate: '2033-03-11' } });
  assert.equal(await remindAtOf(call, id), ['2033-03-11T08:00:00.000Z']);
  assert.is(await sendAt('2033-03-11T08:00:00.000Z'), 1);
  await call(`PATCH /todos/${id}`, { dueDate: '2033-03-20' });
  assert.is(await sendAt('2033-03-20T08:00:00.000Z'), 1);
  assert.is((await sentIn(workspaceId)).length, 2);
});

test('a todo that is done, archived or without a due date has none until that ends', async () => {
  const { call } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-10');
  await remind(call, id);
  const at = ['2033-03-10T08:00:00.000Z'];
  for (const [without, within] of [
    [{ status: 'done' }, { status: 'ready' }],
    [{ dueDate: null }, { dueDate: '2033-03-10' }],
  ]) {
    await call(`PATCH /todos/${id}`, without);
    assert.equal(await remindAtOf(call, id), [null]);
    await call(`PATCH /todos/${id}`, within);
    assert.equal(await remindAtOf(call, id), at);
  }
  await call(`DELETE /todos/${id}`);
  assert.equal(await remindAtOf(call, id), [null]);
  assert.is(await sendAt('2033-03-11T00:00:00.000Z'), 0);
  await call(`POST /todos/${id}/restore`);
  assert.equal(await remindAtOf(call, id), at);
});

test('nobody is reminded of what is past, or of a todo that is archived', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const past = await todoDue(call, '2026-01-02');
  assert.is((await remind(call, past.id)).remindAt, null);
  const { id } = await todoDue(call, '2033-03-10');
  await remind(call, id);
  await call(`PATCH /todos/${id}`, { dueDate: '2026-01-02' });
  assert.equal(await remindAtOf(call, id), [null]);
  const archived = await todoDue(call, '2033-03-10');
  await remind(call, archived.id);
  await call(`DELETE /todos/${archived.id}`);
  await sendAt('2033-03-11T00:00:00.000Z');
  assert.equal(await sentIn(workspaceId), []);
});

test('reminders are those of one person, at most five of a todo, and end with it', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-10');
  const reminder = await remind(call, id);
  const other = await addMember(tandem, workspaceId, 'Bob');
  await tandem.db.rows('update todo_reminders set user_id = $2 where id = $1', [reminder.id, other]);
  assert.equal(await remindAtOf(call, id), []);
  refused(await call(`DELETE /todos/${id}/reminders/${reminder.id}`), 404, 'reminderId');
  for (const daysBefore of [1, 2, 3, 4, 5]) await remind(call, id, { daysBefore });
  refused(await call(`POST /todos/${id}/reminders`, { daysBefore: 6 }), 409, null);
  const [first] = (await call(`GET /todos/${id}/reminders`)).body.data;
  const gone = await call(`DELETE /todos/${id}/reminders/${first.id}`);
  assert.equal(gone.body, { object: 'deleted', id: first.id, deleted: true, recoverable: false });
  refused(await call(`DELETE /todos/${id}/reminders/${first.id}`), 404, 'reminderId');
  refused(await call(`POST /todos/${unknownId}/reminders`, {}), 404, 'todoId');
  refused(await call(`GET /todos/${unknownId}/reminders`), 404, 'todoId');
  refused(await call(`POST /todos/${id}/reminders`, { time: '9:00' }), 400, 'time');
  refused(await call(`POST /todos/${id}/reminders`, { timezone: 'Europe/Nowhere' }), 400, 'timezone');
  assert.is((await call(`DELETE /todos/${id}?permanent=true`)).status, 200);
  const left = await tandem.db.rows('select 1 from todo_reminders where workspace_id = $1', [workspaceId]);
  assert.is(left.length, 0);
});

test('a person who switched reminders off, or left, is not notified', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = await todoDue(call, '2033-03-10');
  const reminder = await remind(call, id);
  const gone = await addMember(tandem, workspaceId, 'Bob', true);
  await tandem.db.rows('update todo_reminders set user_id = $2 where id = $1', [reminder.id, gone]);
  assert.is(await sendAt('2033-03-10T08:00:00.000Z'), 1);
  assert.equal(await sentIn(workspaceId), []);
});

test.run();
