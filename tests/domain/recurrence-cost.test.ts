import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { next, upcoming } from '../../domain/recurrence/occurrences.ts';
import { isTooDense } from '../../domain/recurrence/spacing.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { calendarCases, recurrence, short } from '../support/recurrence-cases.ts';
import { clockCases } from '../support/recurrence-clock-cases.ts';

const test = suite('costs of recurrence');

const never = [
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30,31',
  'FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31',
  'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=HOURLY;INTERVAL=24;BYHOUR=8',
  'FREQ=DAILY;INTERVAL=7;BYDAY=TU',
  'FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=DAILY;BYHOUR=9;BYSETPOS=2',
  'FREQ=YEARLY;BYWEEKNO=20;BYMONTH=1',
  'FREQ=HOURLY;BYDAY=MO;BYSETPOS=3',
];
test('a rule that never fires says so soon', async () => {
  for (const rule of never) {
    const ms = await cpuMsOf(() => {
      const found = next(recurrence(rule, '2025-01-01T09:00:00Z', 'Europe/Berlin'), Date.parse('2026-01-01T00:00:00Z'));
      assert.is(found, null, rule);
    });
    assert.ok(ms < 250, `${rule} took ${Math.round(ms)} ms`);
  }
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index).join();
const everySecond = `BYHOUR=${range(0, 23)};BYMINUTE=${range(0, 59)};BYSECOND=${range(0, 59)}`;
const everyDay = 'BYDAY=MO,TU,WE,TH,FR,SA,SU';
const amongSeconds: [rule: string, times: string][] = [
  [`FREQ=YEARLY;${everyDay};${everySecond};BYSETPOS=-2`, '2026-12-31T23:59:58Z 2027-12-31T23:59:58Z'],
  [`FREQ=MONTHLY;${everyDay};${everySecond};BYSETPOS=1`, '2026-07-01T00:00Z 2026-08-01T00:00Z'],
  [`FREQ=WEEKLY;${everyDay};${everySecond};BYSETPOS=-1`, '2026-06-07T23:59:59Z 2026-06-14T23:59:59Z'],
  [`FREQ=DAILY;${everySecond};BYSETPOS=61`, '2026-06-01T00:01Z 2026-06-02T00:01Z'],
];
test('a rule that chooses among all seconds of its periods takes no longer than another', async () => {
  for (const [rule, times] of amongSeconds) {
    const ms = await cpuMsOf(() => {
      const chosen = recurrence(rule, '2026-06-01T00:00:00Z', 'UTC');
      assert.is(isTooDense(chosen), false, rule);
      assert.is(upcoming(chosen, Date.parse('2026-06-01T00:00:00Z'), 2).map(short).join(' '), times, rule);
    });
    assert.ok(ms < 250, `${rule} took ${Math.round(ms)} ms`);
  }
});

test('the end of a long count is found with few questions to Intl', () => {
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  let calls = 0;
  Intl.DateTimeFormat.prototype.formatToParts = function (date) {
    calls++;
    return formatToParts.call(this, date);
  };
  try {
    // Some 36,500 days are passed.
    const counted = recurrence('FREQ=HOURLY;INTERVAL=23;BYHOUR=3;COUNT=10000', '2026-01-01T00:00:00Z', 'Europe/Vienna');
    assert.is(short(upcoming(counted, Date.parse('2026-06-01T00:00:00Z'), 1)[0] ?? 0), '2026-06-10T01:00Z');
  } finally {
    Intl.DateTimeFormat.prototype.formatToParts = formatToParts;
  }
  assert.ok(calls < 30_000, String(calls));
});

test('rules that are ten years old answer in less than 5 ms, whatever they are', async () => {
  const rules = [
    ...[...calendarCases, ...clockCases]
      .map(([, rule, , zone]) => [rule, zone] as const)
      .filter(([rule]) => !rule.includes('UNTIL')),
    ['FREQ=HOURLY;BYMINUTE=0,15,30,45', 'America/New_York'] as const,
    ['FREQ=DAILY;COUNT=10000', 'Europe/Berlin'] as const,
  ];
  const from = Date.parse('2026-06-01T00:00:00Z');
  for (const [rule, zone] of rules) {
    const old = recurrence(rule, '2016-01-01T09:00:00Z', zone);
    const times: number[] = [];
    for (let day = 0; day < 5; day++) times.push(await cpuMsOf(() => upcoming(old, from + day * 86_400_000, 6)));
    times.sort((a, b) => a - b);
    assert.ok((times[2] ?? 0) < 5, `${rule}: ${times.map((each) => each.toFixed(1))} ms`);
  }
});

test.run();
