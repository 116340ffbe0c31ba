import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { csvOf, forecastOf, scaleOf } from '../../web/src/usage/figures.ts';
import { dayAfter, dayAt, daysOf, faultIn, lastDays, periodIn, searchOf } from '../../web/src/usage/period.ts';
import type { Usage } from '../../web/src/usage/queries.ts';

const test = suite('the figures of usage');

const today = '2026-11-23';

/** A usage of these minutes day by day, up to today. */
function usageOf(minutes: readonly number[], minutesRemaining = 100): Usage {
  const byDay = minutes.map((each, place) => ({
    day: dayAfter(today, place + 1 - minutes.length),
    minutes: each,
    turns: each > 0 ? 1 : 0,
  }));
  const minutesUsed = minutes.reduce((sum, each) => sum + each, 0);
  return { byDay, minutesUsed, minutesRemaining, byAgent: [], byTrigger: [] } as unknown as Usage;
}

test('what is left lasts as long as at the pace since the first day of use', () => {
  assert.equal(forecastOf(usageOf([0, 0, 10, 0, 5], 50)), { perDay: 5, days: 10 });
  assert.equal(forecastOf(usageOf([2.5, 2.5], 1)), { perDay: 2.5, days: 0 });
  assert.equal(forecastOf(usageOf([1], 0)), { perDay: 1, days: 0 });
  assert.is(forecastOf(usageOf([0, 0, 0])), null);
  assert.is(forecastOf(usageOf([])), null);
});

test('the scale of a chart ends at a round number that is not below the largest value', () => {
  assert.equal(
    [[], [0], [0.3], [1], [1.1], [2.5], [9], [10.1], [37], [501]].map(scaleOf),
    [1, 1, 1, 1, 2, 5, 10, 20, 50, 1000],
  );
});

test('a file has every figure as the service gave it, and names cannot break it', () => {
  const usage = {
    ...usageOf([0, 1.3]),
    byAgent: [
      { agentId: 'a', name: 'Research, "deep"', minutes: 1.2, turns: 3 },
      { agentId: 'b', name: '=HYPERLINK("x")', minutes: 0.1, turns: 1 },
    ],
    byTrigger: [{ trigger: 'schedule', minutes: 1.3, turns: 4 }],
  } as unknown as Usage;
  assert.equal(csvOf(usage).split('\r\n'), [
    'group,name,minutes,turns',
    'day,2026-11-22,0,0',
    'day,2026-11-23,1.3,1',
    'agent,"Research, ""deep""",1.2,3',
    'agent,"\'=HYPERLINK(""x"")",0.1,1',
    'started by,Schedule,1.3,4',
    '',
  ]);
});

test('the address has the period, and what is no period is the last 30 days', () => {
  const standard = { from: '2026-10-25', to: today };
  assert.equal(periodIn('', today), standard);
  assert.equal(periodIn('?from=2026-11-01&to=2026-11-03', today), { from: '2026-11-01', to: '2026-11-03' });
  assert.equal(periodIn('?to=2026-01-30', today), { from: '2026-01-01', to: '2026-01-30' });
  for (const search of [
    '?from=2026-02-30&to=x',
    '?from=2026-11-24',
    '?from=2020-01-01&to=2026-01-01',
    '?from=yesterday',
  ])
    assert.equal(periodIn(search, today), standard, search);
  for (const period of [standard, { from: '2026-11-01', to: '2026-11-03' }])
    assert.equal(periodIn(searchOf(period, today), today), period);
  assert.is(searchOf(standard, today), '');
});

test('a period has both of its days', () => {
  assert.is(daysOf(lastDays(7, today)), 7);
  assert.is(daysOf({ from: today, to: today }), 1);
  assert.is(daysOf({ from: '2024-02-28', to: '2024-03-01' }), 3);
  assert.is(faultIn(lastDays(366, today)), null);
  assert.match(faultIn(lastDays(367, today)) ?? '', /366 days at most/);
  assert.match(faultIn({ from: today, to: '2026-11-22' }) ?? '', /must not be after/);
});

test('days are those of the time zone', () => {
  const midnight = Date.parse('2026-11-23T23:30:00Z');
  assert.equal(
    ['UTC', 'Europe/Berlin', 'America/New_York'].map((zone) => dayAt(midnight, zone)),
    ['2026-11-23', '2026-11-24', '2026-11-23'],
  );
});

test.run();
