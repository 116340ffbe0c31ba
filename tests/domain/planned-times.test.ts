import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { upcoming } from '../../domain/recurrence/occurrences.ts';
import { parseRule } from '../../domain/recurrence/rule.ts';
import { todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';

const test = suite('planned times');
const start = '2031-07-01T08:30:00.000Z';
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled(start);
});
test.before.each(() => tandem.clock.set(start));
test.after(() => tandem.close());

interface Planned {
  todoId: string;
  times: string[];
  isCut: boolean;
}

const july = 'from=2031-07-01T00:00:00Z&to=2031-08-01T00:00:00Z';
const at = (day: number) => `2031-07-${String(day).padStart(2, '0')}T09:00:00.000Z`;
const daily = { every: 'day', at: '09:00', timezone: 'UTC' };

test('a range has every time of every schedule in it, and the beginning but not the end belongs to it', async () => {
  const workspace = await tandem.workspace();
  const { id } = await todoOf(workspace, { schedule: daily });
  const once = await todoOf(workspace, { schedule: { runAt: at(20) } });
  const { body } = await workspace.call(`GET /todos/planned-times?${july}`);
  const byId = new Map(body.data.map((each: Planned) => [each.todoId, each]));
  const days = Array.from({ length: 31 }, (_, place) => at(place + 1));
  assert.equal(byId.get(id), { object: 'planned_times', todoId: id, times: days, isCut: false });
  assert.equal(byId.get(once.id), { object: 'planned_times', todoId: once.id, times: [at(20)], isCut: false });
  const exact = await workspace.call(`GET /todos/planned-times?from=${at(3)}&to=${at(5)}`);
  assert.equal(exact.body.data.find(({ todoId }: Planned) => todoId === id).times, [at(3), at(4)]);
});

test('a change of the clocks is in it: the times are those of the rule', async () => {
  const workspace = await tandem.workspace();
  const timezone = 'America/New_York';
  const { id } = await todoOf(workspace, { schedule: { every: 'day', at: '02:30', timezone } });
  const from = Date.parse('2032-03-01T00:00:00Z');
  const query = `from=2032-03-01T00:00:00Z&to=2032-04-01T00:00:00Z`;
  const { body } = await workspace.call(`GET /todos/planned-times?${query}`);
  const rule = parseRule('FREQ=DAILY;BYHOUR=2;BYMINUTE=30');
  const expected = upcoming({ rule, start: Date.parse(start), timezone }, from - 1, 31);
  assert.equal(
    body.data.find(({ todoId }: Planned) => todoId === id).times,
    expected.map((time) => new Date(time).toISOString()),
  );
});

test('what is skipped, paused, done, archived or of another workspace is not planned', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const skipped = await todoOf(workspace, { schedule: daily });
  const [paused, done, archived] = await Promise.all([1, 2, 3].map(() => todoOf(workspace, { schedule: daily })));
  const { body: occurrences } = await call(`GET /todos/${skipped.id}/occurrences`);
  await call(`PATCH /todos/${skipped.id}/occurrences/${occurrences.data[0].id}`, { status: 'skipped' });
  await call(`PATCH /todos/${paused?.id}`, { schedulePaused: true });
  await call(`PATCH /todos/${done?.id}`, { status: 'done' });
  await call(`DELETE /todos/${archived?.id}`);
  await todoOf(await tandem.workspace(), { schedule: daily });
  const { body } = await call(`GET /todos/planned-times?${july}`);
  assert.equal(
    body.data.map(({ todoId, times }: Planned) => [todoId, times[0], times.length]),
    [[skipped.id, at(2), 30]],
  );
});

test('a dense schedule is cut, and says so; pages have every todo once', async () => {
  const workspace = await tandem.workspace();
  const dense = { rrule: 'FREQ=HOURLY;BYMINUTE=0,15,30,45', timezone: 'UTC' };
  const { id } = await todoOf(workspace, { schedule: dense });
  const others = await Promise.all([1, 2, 3, 4].map(() => todoOf(workspace, { schedule: daily })));
  const found: Planned[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await workspace.call(`GET /todos/planned-times?${july}&limit=2${cursor}`);
    assert.is(status, 200);
    found.push(...body.data);
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  assert.equal(found.map(({ todoId }) => todoId).sort(), [id, ...others.map((each) => each.id)].sort());
  const cut = found.find(({ todoId }) => todoId === id);
  assert.equal([cut?.times.length, cut?.isCut, cut?.times[0]], [200, true, '2031-07-01T08:45:00.000Z']);
});

test('a range that is empty or too long is refused, and so is a cursor of another one', async () => {
  const { call } = await tandem.workspace();
  const from = '2031-07-01T00:00:00Z';
  for (const to of [from, '2031-06-01T00:00:00Z', '2031-09-01T00:00:01Z']) {
    const { status, body } = await call(`GET /todos/planned-times?from=${from}&to=${to}`);
    assert.equal([status, body.errors[0].param], [400, 'to'], to);
  }
  const beyond = 'from=9999-12-31T12:00:00Z&to=9999-12-31T23:59:59-01:00';
  assert.is((await call(`GET /todos/planned-times?${beyond}`)).body.errors[0].param, 'to');
  assert.is((await call(`GET /todos/planned-times?${july}&cursor=x`)).body.code, 'invalid_cursor');
  assert.is((await call('GET /todos/planned-times')).status, 400);
});

test.run();
