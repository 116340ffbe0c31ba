import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describe } from '../../domain/recurrence/describe.ts';
import { parseRule } from '../../domain/recurrence/rule.ts';
import { isTooDense } from '../../domain/recurrence/spacing.ts';
import { recurrence } from '../support/recurrence-cases.ts';

const test = suite('rules of recurrence');

test('a rule with times less than 15 minutes apart is too dense, with 15 minutes it is not', () => {
  const dense = [
    'FREQ=HOURLY;BYMINUTE=0,14',
    'FREQ=HOURLY;BYMINUTE=50,0',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0,10',
    'FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,50',
    'FREQ=DAILY;BYSECOND=0,30',
    'FREQ=MONTHLY;BYMONTHDAY=1,-1;BYHOUR=0,23;BYMINUTE=5,55',
    'FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=0,23;BYMINUTE=5,55',
  ];
  const spaced = [
    'FREQ=HOURLY;BYMINUTE=0,15,30,45',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=50,0',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0,10;BYSETPOS=1',
    'FREQ=WEEKLY;BYDAY=SA;BYHOUR=0,23;BYMINUTE=5,55',
    'FREQ=DAILY',
  ];
  const at = (rule: string) => recurrence(rule, '2026-01-01T00:00:00Z', 'UTC');
  assert.equal(
    dense.filter((rule) => !isTooDense(at(rule))),
    [],
  );
  assert.equal(
    spaced.filter((rule) => isTooDense(at(rule))),
    [],
  );
});

test('whatever is unknown, repeated or out of range in a rule is refused, and said', () => {
  const wrong: [string, RegExp][] = [
    ['', /not a part/],
    ['FREQ', /NAME=VALUE/],
    ['FREQ=DAILY;', /not a part/],
    ['FREQ=DAILY;;INTERVAL=2', /not a part/],
    ['INTERVAL=2', /no FREQ/],
    ['FREQ=FORTNIGHTLY', /unknown/],
    ['FREQ=MINUTELY;INTERVAL=30', /15 minutes/],
    ['FREQ=SECONDLY', /15 minutes/],
    ['FREQ=DAILY;FREQ=DAILY', /twice/],
    ['FREQ=DAILY;BYHOURS=9', /BYHOURS/],
    ['FREQ=DAILY;BYHOUR=24', /BYHOUR.*0 to 23/],
    ['FREQ=DAILY;BYHOUR=99', /BYHOUR/],
    ['FREQ=DAILY;BYHOUR=-1', /BYHOUR/],
    ['FREQ=DAILY;BYHOUR=9,', /BYHOUR/],
    ['FREQ=DAILY;BYHOUR=9.5', /BYHOUR/],
    ['FREQ=DAILY;BYMINUTE=60', /BYMINUTE/],
    ['FREQ=DAILY;BYSECOND=60', /BYSECOND/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=-1', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=1001', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=1,2', /one number/],
    ['FREQ=DAILY;COUNT=0', /COUNT/],
    ['FREQ=DAILY;COUNT=3;UNTIL=20261231', /not both/],
    ['FREQ=DAILY;UNTIL=2026-12-31', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20260230', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20261231T250000Z', /UNTIL/],
    ['FREQ=DAILY;BYMONTH=13', /BYMONTH/],
    ['FREQ=DAILY;BYMONTH=0', /BYMONTH/],
    ['FREQ=MONTHLY;BYMONTHDAY=32', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYMONTHDAY=0', /BYMONTHDAY/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /does not go with FREQ=WEEKLY/],
    ['FREQ=MONTHLY;BYYEARDAY=1', /does not go/],
    ['FREQ=MONTHLY;BYWEEKNO=1', /does not go/],
    ['FREQ=YEARLY;BYYEARDAY=367', /BYYEARDAY/],
    ['FREQ=YEARLY;BYWEEKNO=54', /BYWEEKNO/],
    ['FREQ=WEEKLY;BYDAY=MON', /BYDAY/],
    ['FREQ=WEEKLY;BYDAY=1MO', /BYDAY takes a number/],
    ['FREQ=DAILY;BYDAY=1MO', /BYDAY takes a number/],
    ['FREQ=MONTHLY;BYDAY=0MO', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=6MO', /no 6/],
    ['FREQ=YEARLY;BYDAY=54MO', /BYDAY/],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', /BYDAY takes a number/],
    ['FREQ=MONTHLY;BYSETPOS=1', /BYSETPOS needs/],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', /BYSETPOS/],
    ['FREQ=WEEKLY;WKST=XX', /WKST/],
    ['FREQ=MONTHLY;RSCALE=GREGORIAN', /RSCALE/],
    ['DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY', /one RRULE/],
    ['RRULE:FREQ=DAILY\nEXDATE:20260101T000000Z', /one RRULE/],
    ['DTSTART:20260101T000000Z', /one RRULE/],
    ['EXDATE:20260101', /one RRULE/],
    [`FREQ=DAILY;BYHOUR=${Array(200).fill('10').join()}`, /500 characters/],
  ];
  for (const [rule, message] of wrong) {
    assert.throws(
      () => parseRule(rule, 'schedule.rrule'),
      (error: { problem?: { message: string; status: number; errors: object[] } }) => {
        assert.match(error.problem?.message ?? `${rule}: ${error}`, message);
        return error.problem?.status === 400;
      },
      rule,
    );
  }
});

test('the prefix and small letters of a rule are taken', () => {
  assert.equal(parseRule(' rrule:freq=daily;byhour=9 '), parseRule('FREQ=DAILY;BYHOUR=9'));
});

test('a rule is described in words', () => {
  const words: [string, string][] = [
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0', 'Every weekday at 09:00 (Europe/Berlin)'],
    ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0', 'Every weekday at 09:00 (Europe/Berlin)'],
    ['FREQ=DAILY', 'Every day at 10:30 (Europe/Berlin)'],
    ['FREQ=DAILY;INTERVAL=2;BYHOUR=9,17;BYMINUTE=0', 'Every 2 days at 09:00 and 17:00 (Europe/Berlin)'],
    ['FREQ=DAILY;BYHOUR=8,9,10,11,12,13,14;BYMINUTE=0', 'Every day 7 times a day (Europe/Berlin)'],
    ['FREQ=WEEKLY', 'Every week on Thursday at 10:30 (Europe/Berlin)'],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0',
      'Every 2 weeks on Monday and Thursday at 09:00 (Europe/Berlin)',
    ],
    ['FREQ=MONTHLY', 'Every month on day 1 at 10:30 (Europe/Berlin)'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'Every month on day 1 and 15 at 10:30 (Europe/Berlin)'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', 'Every month on the last day at 10:30 (Europe/Berlin)'],
    [
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      'Every month on day 31, or the last day of a shorter month at 10:30 (Europe/Berlin)',
    ],
    [
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      'Every month on day 28, 29, 30 and 31 if it is a Friday at 10:30 but only the last of them (Europe/Berlin)',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYHOUR=9,17;BYMINUTE=0;BYSETPOS=-1',
      'Every month on day 28, 29, 30 and 31 at 09:00 and 17:00 but only the last of them (Europe/Berlin)',
    ],
    [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
      'Every year on day 29, or the last day of a shorter month in February at 10:30 (Europe/Berlin)',
    ],
    [
      'FREQ=YEARLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      'Every year on day 28, 29, 30 and 31 at 10:30 but only the last of them (Europe/Berlin)',
    ],
    [
      'FREQ=DAILY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      'Every day on day 28, 29, 30 and 31 at 10:30 but only the last of them (Europe/Berlin)',
    ],
    ['FREQ=MONTHLY;BYDAY=1MO,-1FR', 'Every month on the last Friday and the 1st Monday at 10:30 (Europe/Berlin)'],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'Every month on Monday, Tuesday, Wednesday, Thursday and Friday at 10:30 but only the last of them (Europe/Berlin)',
    ],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', 'Every month on day 13 if it is a Friday at 10:30 (Europe/Berlin)'],
    ['FREQ=YEARLY', 'Every year on 1 January at 10:30 (Europe/Berlin)'],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1', 'Every year on 1 March at 10:30 (Europe/Berlin)'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', 'Every year on Monday in the 20th week of the year at 10:30 (Europe/Berlin)'],
    ['FREQ=YEARLY;BYYEARDAY=100,-1', 'Every year on the last and 100th day of the year at 10:30 (Europe/Berlin)'],
    ['FREQ=HOURLY;BYMINUTE=0', 'Every hour at minute 00 (Europe/Berlin)'],
    ['FREQ=HOURLY;INTERVAL=4;BYDAY=MO', 'Every 4 hours on Monday at minute 30 (Europe/Berlin)'],
    ['FREQ=DAILY;BYMONTH=6,7;COUNT=10', 'Every day in June and July at 10:30, 10 times (Europe/Berlin)'],
    ['FREQ=DAILY;UNTIL=20261231T225959Z', 'Every day at 10:30, until 31 December 2026 (Europe/Berlin)'],
  ];
  for (const [rule, text] of words) {
    assert.is(describe(recurrence(rule, '2026-01-01T09:30:00Z', 'Europe/Berlin')), text);
  }
});

test.run();
