import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clockNotes } from '../../web/src/schedule/clock-changes.ts';
import { requestOf, type StoredSchedule, storedRequest, wallIn } from '../../web/src/schedule/request.ts';
import { valuesOf } from '../../web/src/schedule/values.ts';
import { scheduleInWords } from '../../web/src/schedule/words.ts';

const test = suite('the editor of schedules');

const none: StoredSchedule = {
  scheduleType: null,
  rrule: null,
  timezone: null,
  nextRunAt: null,
  scheduleStatus: null,
};
const timezone = 'Europe/Berlin';
const stored = (rrule: string, nextRunAt: string | null = null): StoredSchedule => ({
  scheduleType: 'recurring',
  rrule,
  timezone,
  nextRunAt,
  scheduleStatus: 'pending',
});
const fresh = valuesOf(none, timezone);

test('the fields of each form make its request, and nothing of the other forms', () => {
  assert.equal(requestOf(fresh), { every: 'week', timezone, interval: 1, at: '09:00' });
  assert.equal(requestOf({ ...fresh, unit: 'weekday', interval: '3', on: ['mon'] }), {
    every: 'weekday',
    timezone,
    at: '09:00',
  });
  assert.equal(requestOf({ ...fresh, unit: 'hour', interval: '4', on: ['sun', 'mon'], at: '09:00' }), {
    every: 'hour',
    timezone,
    interval: 4,
    on: ['mon', 'sun'],
  });
  assert.equal(requestOf({ ...fresh, unit: 'month', dayOfMonth: '-1', ends: 'count', count: '3' }), {
    every: 'month',
    timezone,
    interval: 1,
    dayOfMonth: -1,
    at: '09:00',
    count: 3,
  });
  assert.equal(requestOf({ ...fresh, form: 'rrule', rrule: 'FREQ=DAILY', startAt: '2027-01-02T09:00' }), {
    rrule: 'FREQ=DAILY',
    timezone,
    startAt: '2027-01-02T08:00:00.000Z',
  });
  assert.equal(requestOf({ ...fresh, form: 'once', runAt: '2027-07-02T09:30' }), {
    runAt: '2027-07-02T07:30:00.000Z',
    timezone,
  });
});

test('without a field that is needed there is no request', () => {
  for (const missing of [
    { form: 'rrule' },
    { form: 'once' },
    { form: 'once', runAt: '2027-07-02' },
    { ends: 'until' },
    { ends: 'count', count: '' },
  ] as const)
    assert.is(requestOf({ ...fresh, ...missing }), null, JSON.stringify(missing));
});

test('a rule that “every” can express is shown in its fields; how many times are left has to be entered', () => {
  for (const [rrule, expected] of [
    ['FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=5', { unit: 'day', interval: '2', at: '09:05' }],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0', { unit: 'weekday', at: '09:00' }],
    ['FREQ=WEEKLY;BYDAY=TU,SU;BYHOUR=17;BYMINUTE=30', { unit: 'week', on: ['tue', 'sun'], at: '17:30' }],
    ['FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0', { unit: 'month', dayOfMonth: '-1' }],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0', { unit: 'month', dayOfMonth: '31' }],
    ['FREQ=HOURLY;INTERVAL=4', { unit: 'hour', interval: '4' }],
    ['FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=5', { unit: 'day', ends: 'count', count: '' }],
    ['FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20270131T225959Z', { ends: 'until', until: '2027-01-31' }],
  ] as const) {
    const values = valuesOf(stored(rrule), 'UTC');
    assert.is(values.form, 'every', rrule);
    for (const [name, value] of Object.entries(expected))
      assert.equal(values[name as 'unit'], value, `${rrule} ${name}`);
  }
  const monday = '2027-01-04T08:00:00.000Z';
  assert.equal(valuesOf(stored('FREQ=WEEKLY;BYHOUR=9;BYMINUTE=0', monday), 'UTC').on, ['mon']);
});

test('a rule of every second time keeps its times: it begins with the next one', () => {
  const next = '2027-01-29T08:00:00.000Z';
  const rrule = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0';
  const values = valuesOf(stored(rrule, next), 'UTC');
  assert.equal(requestOf(values), { rrule, timezone, startAt: next });
  assert.equal([values.unit, values.interval, values.on], ['week', '2', ['fri']]);
});

test('“every” is shown only where it has the same next time: it would begin now', () => {
  const at = 'BYHOUR=9;BYMINUTE=0';
  // The first is a Thursday.
  for (const [now, rrule, next, later] of [
    ['2026-11-26T10:00', `FREQ=DAILY;${at}`, '2026-11-27', '2026-11-28'],
    ['2026-11-26T07:00', `FREQ=DAILY;${at};COUNT=10`, '2026-11-26', '2027-02-01'],
    ['2026-11-27T10:00', `FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;${at}`, '2026-11-30', '2026-12-01'],
    ['2026-11-26T10:00', `FREQ=WEEKLY;BYDAY=MO,TH;${at}`, '2026-11-30', '2026-12-03'],
    ['2026-11-26T10:00', `FREQ=WEEKLY;${at}`, '2026-12-03', '2026-12-10'],
    ['2026-11-26T10:00', `FREQ=MONTHLY;BYMONTHDAY=15;${at}`, '2026-12-15', '2027-01-15'],
    ['2026-11-26T10:00', `FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;${at}`, '2026-11-30', '2026-12-31'],
    ['2026-11-30T10:00', `FREQ=MONTHLY;BYMONTHDAY=-1;${at}`, '2026-12-31', '2027-01-31'],
  ] as const) {
    const formOf = (day: string) =>
      valuesOf(stored(rrule, `${day}T08:00:00.000Z`), 'UTC', Date.parse(`${now}:00Z`)).form;
    assert.equal([formOf(next), formOf(later)], ['every', 'rrule'], `${rrule} at ${now}`);
  }
  const hourly = valuesOf(stored('FREQ=HOURLY', '2026-11-26T10:15:00.000Z'), 'UTC', Date.parse('2026-11-26T10:00:00Z'));
  assert.equal([hourly.form, hourly.unit, hourly.startAt], ['rrule', 'hour', '2026-11-26T11:15']);
});

test('another rule stays a rule, and begins with its next time', () => {
  const next = '2027-01-29T08:00:00.000Z';
  for (const rrule of [
    'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0',
    'FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0',
    'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0',
    'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=5',
    'FREQ=MONTHLY;BYHOUR=9;BYMINUTE=0',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20270131',
  ]) {
    const { form, ...values } = valuesOf(stored(rrule, next), 'UTC');
    assert.equal([form, values.rrule, values.startAt, values.timezone], ['rrule', rrule, '2027-01-29T09:00', timezone]);
  }
  const once = { ...none, scheduleType: 'one_off', timezone, nextRunAt: next } as const;
  assert.equal([valuesOf(once, 'UTC').form, valuesOf(once, 'UTC').runAt], ['once', '2027-01-29T09:00']);
});

test('a stored rule is described only where its day and time are known', () => {
  const next = '2027-01-29T08:00:00.000Z';
  assert.equal(storedRequest(stored('FREQ=WEEKLY', next)), { rrule: 'FREQ=WEEKLY', timezone, startAt: next });
  assert.is(storedRequest(stored('FREQ=WEEKLY;BYHOUR=9;BYMINUTE=0')), null);
  assert.is(storedRequest(stored('FREQ=WEEKLY;BYDAY=MO')), null);
  assert.equal(storedRequest(stored('FREQ=WEEKLY;BYDAY=MO;BYHOUR=9')), {
    rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9',
    timezone,
  });
  assert.is(storedRequest(none), null);
});

test('what the clocks do to the next times is said', () => {
  const notes = (rrule: string, now: string, ...upcomingRuns: string[]) =>
    clockNotes({ rrule, timezone, upcomingRuns }, Date.parse(now));
  const atNine = 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0';
  assert.equal(notes(atNine, '2027-03-26T00:00:00Z', '2027-03-27T08:00:00Z', '2027-03-28T07:00:00Z'), [
    'Before Sun, Mar 28, 2027, 09:00, the clocks of Europe/Berlin go forward by 1 hour.',
  ]);
  assert.equal(notes(atNine, '2027-05-26T00:00:00Z', '2027-05-27T07:00:00Z'), []);
  const atNight = 'FREQ=DAILY;BYHOUR=2;BYMINUTE=30';
  assert.equal(notes(atNight, '2027-03-27T12:00:00Z', '2027-03-28T01:30:00Z'), [
    'Before Sun, Mar 28, 2027, 03:30, the clocks of Europe/Berlin go forward by 1 hour.',
    'Sun, Mar 28, 2027, 03:30: there is no 02:30 on this day, because the clocks go forward.',
  ]);
  assert.equal(notes(atNight, '2027-10-30T12:00:00Z', '2027-10-31T00:30:00Z', '2027-11-01T01:30:00Z'), [
    'Sun, Oct 31, 2027, 02:30: the clocks show this time twice, and the first one counts.',
    'Before Mon, Nov 1, 2027, 02:30, the clocks of Europe/Berlin go back by 1 hour.',
  ]);
});

test('schedules are compared in words', () => {
  assert.is(
    scheduleInWords({ every: 'week', interval: 2, on: ['mon'], at: '09:00', count: 3, timezone }),
    'every 2 weeks on mon at 09:00 3 times (Europe/Berlin)',
  );
  assert.is(scheduleInWords({ rrule: 'FREQ=DAILY', timezone }), 'FREQ=DAILY (Europe/Berlin)');
  assert.is(
    scheduleInWords({ rrule: null, runAt: '2027-01-29T08:00:00.000Z', timezone }),
    'once, on Fri, Jan 29, 2027, 09:00 (Europe/Berlin)',
  );
  assert.is(wallIn('2027-01-29T08:00:00.000Z', timezone), '2027-01-29T09:00');
});

test.run();
