import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginOf, byDay, dayByKey, dayIn, inMonth, weeksOf } from '../../web/src/schedules/month.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';
import { dayAfter, dayAt } from '../../web/src/usage/period.ts';

const test = suite('the month of schedules');

test('weeks begin on Monday, have every day of the month once, and none without one', () => {
  for (let month = '2024-01-15'; month < '2029-01'; month = inMonth(month, 1)) {
    const weeks = weeksOf(month);
    const days = weeks.flat();
    assert.ok(weeks.every((week) => week.length === 7 && week.some((day) => day.startsWith(month.slice(0, 7)))));
    assert.is(new Date(`${days[0]}T00:00:00Z`).getUTCDay(), 1);
    assert.ok(days.every((day, place) => place === 0 || day === dayAfter(days[place - 1] ?? '', 1)));
    const own = days.filter((day) => day.startsWith(month.slice(0, 7)));
    assert.is(own[0], `${month.slice(0, 7)}-01`);
    assert.is(dayAfter(own.at(-1) ?? '', 1), `${inMonth(month, 1).slice(0, 7)}-01`);
  }
  assert.is(weeksOf('2027-02-10').length, 4, 'a February that begins on a Monday');
});

test('keys move by days, in weeks, and by months to a day that there is', () => {
  assert.is(dayByKey('ArrowLeft', '2026-03-01'), '2026-02-28');
  assert.is(dayByKey('ArrowDown', '2026-03-29'), '2026-04-05');
  assert.is(dayByKey('Home', '2026-03-01'), '2026-02-23', 'a Sunday ends its week');
  assert.is(dayByKey('End', '2026-03-01'), '2026-03-01');
  assert.is(dayByKey('PageUp', '2026-03-31'), '2026-02-28');
  assert.is(dayByKey('PageDown', '2027-12-31'), '2028-01-31');
  assert.is(dayByKey('a', '2026-03-01'), undefined);
});

test('an address without a day, with another text or with a month that is over shows today', () => {
  const today = '2026-03-15';
  assert.is(dayIn('?day=2026-03-02', today), '2026-03-02');
  for (const search of ['', '?day=2026-02-28', '?day=2026-02-30', '?day=x', '?day=%2B12026-01-01'])
    assert.is(dayIn(search, today), today, search);
});

test('a day begins at its first instant, also where the clocks skip midnight, and has 23 or 25 hours', () => {
  const hours = (day: string, zone: string) =>
    (Date.parse(beginOf(dayAfter(day, 1), zone)) - Date.parse(beginOf(day, zone))) / 3_600_000;
  assert.is(hours('2026-03-29', 'Europe/Berlin'), 23);
  assert.is(hours('2026-10-25', 'Europe/Berlin'), 25);
  // The clocks of Santiago went from 23:59 to 01:00.
  assert.is(beginOf('2026-09-06', 'America/Santiago'), '2026-09-06T04:00:00.000Z');
  assert.is(dayAt(Date.parse(beginOf('2026-09-06', 'America/Santiago')), 'America/Santiago'), '2026-09-06');
});

test('times are on the days of the zone, the earliest first, without those of unknown todos', () => {
  const todo = { id: 'a', nextRunAt: '2026-03-28T22:30:00.000Z' } as Todo;
  const planned = [
    {
      todoId: 'a',
      times: ['2026-03-28T22:30:00.000Z', '2026-03-29T21:30:00.000Z', '2026-03-28T23:30:00.000Z'],
      isCut: true,
    },
    { todoId: 'gone', times: ['2026-03-28T10:00:00.000Z'], isCut: false },
  ];
  const days = byDay(planned, [todo], 'Europe/Berlin');
  assert.equal(
    [...days].map(([day, { planned: of }]) => [day, of.map(({ at, isNext }) => [at.slice(11, 16), isNext])]),
    [
      ['2026-03-28', [['22:30', true]]],
      [
        '2026-03-29',
        [
          ['23:30', false],
          ['21:30', false],
        ],
      ],
    ],
  );
});

test.run();
