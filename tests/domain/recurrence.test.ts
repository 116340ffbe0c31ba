import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describe } from '../../domain/recurrence/describe.ts';
import { next, type Recurrence, upcoming } from '../../domain/recurrence/occurrences.ts';
import { parseRule } from '../../domain/recurrence/rule.ts';
import { isTooDense } from '../../domain/recurrence/spacing.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const test = suite('recurrence');

function recurrence(rrule: string, start: string, timezone: string): Recurrence {
  return { rule: parseRule(rrule), start: Date.parse(start), timezone };
}

/** An instant as the table writes it: without seconds where there are none. */
function short(at: number): string {
  return new Date(at).toISOString().replace(/(:00)?\.000Z$/, 'Z');
}

type Case = [name: string, rule: string, start: string, zone: string, after: string, times: string];

/** Each time was worked out by hand from a calendar and from when the clocks of the zone change. */
const cases: Case[] = [
  // Plain steps.
  ['every day', 'FREQ=DAILY', '2026-01-01T09:00Z', 'UTC', '2026-01-01T08:00Z', '2026-01-01T09:00Z 2026-01-02T09:00Z'],
  ['the time itself is past', 'FREQ=DAILY', '2026-01-01T09:00Z', 'UTC', '2026-01-01T09:00Z', '2026-01-02T09:00Z'],
  ['never before the start', 'FREQ=DAILY', '2026-01-05T09:00Z', 'UTC', '2025-06-01T00:00Z', '2026-01-05T09:00Z'],
  [
    'every 3rd day from the start',
    'FREQ=DAILY;INTERVAL=3',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-02T00:00Z',
    '2026-01-04T09:00Z 2026-01-07T09:00Z',
  ],
  [
    'times of the day',
    'FREQ=DAILY;BYHOUR=9,17;BYMINUTE=30',
    '2026-01-01T00:00Z',
    'UTC',
    '2026-01-01T10:00Z',
    '2026-01-01T17:30Z 2026-01-02T09:30Z',
  ],
  [
    'seconds of the start do not count',
    'FREQ=DAILY',
    '2026-01-01T09:00:30Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-02T09:00Z',
  ],
  [
    'seconds of the rule do',
    'FREQ=DAILY;BYSECOND=30',
    '2026-01-01T09:00:30Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-01T09:00:30Z',
  ],
  [
    'weekdays',
    'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-02T09:00Z',
    '2026-01-05T09:00Z 2026-01-06T09:00Z',
  ],
  ['the weekday of the start', 'FREQ=WEEKLY', '2026-01-01T09:00Z', 'UTC', '2026-01-01T09:00Z', '2026-01-08T09:00Z'],
  [
    'every other week counts weeks of the start',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
    '2026-01-07T09:00Z',
    'UTC',
    '2026-01-07T10:00Z',
    '2026-01-09T09:00Z 2026-01-19T09:00Z 2026-01-23T09:00Z',
  ],
  [
    'weeks from Monday (RFC 5545)',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO',
    '1997-08-05T09:00Z',
    'UTC',
    '1997-08-04T00:00Z',
    '1997-08-05T09:00Z 1997-08-10T09:00Z 1997-08-19T09:00Z 1997-08-24T09:00Z',
  ],
  [
    'weeks from Sunday (RFC 5545)',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU',
    '1997-08-05T09:00Z',
    'UTC',
    '1997-08-04T00:00Z',
    '1997-08-05T09:00Z 1997-08-17T09:00Z 1997-08-19T09:00Z 1997-08-31T09:00Z',
  ],
  [
    'daily in January only',
    'FREQ=DAILY;BYMONTH=1',
    '2026-01-30T09:00Z',
    'UTC',
    '2026-01-30T10:00Z',
    '2026-01-31T09:00Z 2027-01-01T09:00Z',
  ],
  [
    'Friday the 13th',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-02-13T09:00Z 2026-03-13T09:00Z 2026-11-13T09:00Z 2027-08-13T09:00Z',
  ],

  // Ends of months.
  [
    'day 31 leaves shorter months out',
    'FREQ=MONTHLY;BYMONTHDAY=31',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-31T09:00Z',
    '2026-03-31T09:00Z 2026-05-31T09:00Z',
  ],
  [
    'a start on the 31st does too',
    'FREQ=MONTHLY',
    '2026-01-31T09:00Z',
    'UTC',
    '2026-01-31T09:00Z',
    '2026-03-31T09:00Z',
  ],
  [
    '31 or the last',
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-31T09:00Z',
    '2026-02-28T09:00Z 2026-03-31T09:00Z 2026-04-30T09:00Z',
  ],
  [
    '30 or the last',
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1',
    '2028-01-01T09:00Z',
    'UTC',
    '2028-01-31T09:00Z',
    '2028-02-29T09:00Z 2028-03-30T09:00Z',
  ],
  [
    'the last day',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-02-01T00:00Z',
    '2026-02-28T09:00Z 2026-03-31T09:00Z',
  ],
  [
    'the last day of a leap February',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    '2026-01-01T09:00Z',
    'UTC',
    '2028-02-01T00:00Z',
    '2028-02-29T09:00Z',
  ],
  [
    'the third to last day',
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-02-01T00:00Z',
    '2026-02-26T09:00Z 2026-03-29T09:00Z',
  ],
  [
    'the first Monday',
    'FREQ=MONTHLY;BYDAY=1MO',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-05T09:00Z 2026-02-02T09:00Z 2026-03-02T09:00Z',
  ],
  [
    'the last Friday',
    'FREQ=MONTHLY;BYDAY=-1FR',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-30T09:00Z 2026-02-27T09:00Z',
  ],
  [
    'a fifth Thursday only where there is one',
    'FREQ=MONTHLY;BYDAY=5TH',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-29T09:00Z',
    '2026-04-30T09:00Z 2026-07-30T09:00Z',
  ],
  [
    'the last workday',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-31T00:00Z',
    '2026-02-27T09:00Z 2026-03-31T09:00Z',
  ],
  [
    'the second to last workday',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '2026-05-01T09:00Z',
    'UTC',
    '2026-05-01T00:00Z',
    '2026-05-28T09:00Z 2026-06-29T09:00Z',
  ],
  [
    'first and last of a set',
    'FREQ=WEEKLY;BYDAY=TU,WE,TH;BYSETPOS=1,-1',
    '2026-01-05T09:00Z',
    'UTC',
    '2026-01-05T00:00Z',
    '2026-01-06T09:00Z 2026-01-08T09:00Z 2026-01-13T09:00Z',
  ],
  [
    'a set counts times too',
    'FREQ=DAILY;BYHOUR=8,12,16;BYSETPOS=2',
    '2026-01-01T00:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-01T12:00Z 2026-01-02T12:00Z',
  ],
  [
    'every quarter',
    'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T09:00Z',
    '2026-04-01T09:00Z 2026-07-01T09:00Z',
  ],

  // Years.
  ['a birthday', 'FREQ=YEARLY', '2020-06-15T09:00Z', 'UTC', '2026-06-15T09:00Z', '2027-06-15T09:00Z'],
  [
    '29 February',
    'FREQ=YEARLY',
    '2024-02-29T09:00Z',
    'UTC',
    '2024-03-01T00:00Z',
    '2028-02-29T09:00Z 2032-02-29T09:00Z',
  ],
  [
    'no leap year in 2100',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    '2090-01-01T09:00Z',
    'UTC',
    '2096-03-01T00:00Z',
    '2104-02-29T09:00Z',
  ],
  [
    '29 February on a Monday',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2044-02-29T09:00Z 2072-02-29T09:00Z',
  ],
  [
    '28 or 29 February',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    '2024-02-29T09:00Z',
    'UTC',
    '2024-03-01T00:00Z',
    '2025-02-28T09:00Z 2026-02-28T09:00Z 2027-02-28T09:00Z 2028-02-29T09:00Z',
  ],
  [
    'Thanksgiving',
    'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
    '2026-01-01T15:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-11-26T15:00Z 2027-11-25T15:00Z',
  ],
  [
    'election day (RFC 5545)',
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05T09:00Z',
    'UTC',
    '1996-11-01T00:00Z',
    '1996-11-05T09:00Z 2000-11-07T09:00Z 2004-11-02T09:00Z',
  ],
  [
    'the 20th Monday of the year (RFC 5545)',
    'FREQ=YEARLY;BYDAY=20MO',
    '1997-05-19T09:00Z',
    'UTC',
    '1997-05-01T00:00Z',
    '1997-05-19T09:00Z 1998-05-18T09:00Z 1999-05-17T09:00Z',
  ],
  [
    'Monday of week 20 (RFC 5545)',
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    '1997-05-12T09:00Z',
    'UTC',
    '1997-05-01T00:00Z',
    '1997-05-12T09:00Z 1998-05-11T09:00Z 1999-05-17T09:00Z',
  ],
  [
    'week 53 where there is one',
    'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-12-28T09:00Z 2032-12-27T09:00Z',
  ],
  [
    'the first day of week 1 may be last year’s',
    'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO',
    '2024-06-01T09:00Z',
    'UTC',
    '2024-06-01T00:00Z',
    '2024-12-30T09:00Z 2025-12-29T09:00Z 2027-01-04T09:00Z',
  ],
  [
    'days of the year (RFC 5545)',
    'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200',
    '1997-01-01T09:00Z',
    'UTC',
    '1997-01-01T09:00Z',
    '1997-04-10T09:00Z 1997-07-19T09:00Z 2000-01-01T09:00Z 2000-04-09T09:00Z',
  ],
  [
    'the last day of the year',
    'FREQ=YEARLY;BYYEARDAY=-1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-12-31T09:00Z 2027-12-31T09:00Z',
  ],
  [
    'day 366 in leap years',
    'FREQ=YEARLY;BYYEARDAY=366',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2028-12-31T09:00Z 2032-12-31T09:00Z',
  ],
  [
    'every day of two months',
    'FREQ=YEARLY;BYMONTH=1,3;BYMONTHDAY=1',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T09:00Z',
    '2026-03-01T09:00Z 2027-01-01T09:00Z',
  ],

  // COUNT and UNTIL.
  [
    'three times',
    'FREQ=DAILY;COUNT=3',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-01T09:00Z 2026-01-02T09:00Z 2026-01-03T09:00Z .',
  ],
  [
    'COUNT counts from the start, not from now',
    'FREQ=DAILY;COUNT=3',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-02T12:00Z',
    '2026-01-03T09:00Z .',
  ],
  ['COUNT spent', 'FREQ=DAILY;COUNT=3', '2026-01-01T09:00Z', 'UTC', '2026-01-03T09:00Z', '.'],
  [
    'COUNT of an hourly rule',
    'FREQ=HOURLY;COUNT=2',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T08:00Z',
    '2026-01-01T09:00Z 2026-01-01T10:00Z .',
  ],
  [
    'UNTIL is inclusive',
    'FREQ=DAILY;UNTIL=20260102T090000Z',
    '2026-01-01T09:00Z',
    'UTC',
    '2026-01-01T09:00Z',
    '2026-01-02T09:00Z .',
  ],
  ['a second too late', 'FREQ=DAILY;UNTIL=20260102T085959Z', '2026-01-01T09:00Z', 'UTC', '2026-01-01T09:00Z', '.'],
  [
    'UNTIL a day, whole, by the clocks of the zone',
    'FREQ=DAILY;UNTIL=20260102;BYHOUR=23;BYMINUTE=30',
    '2026-01-01T09:00Z',
    'America/New_York',
    '2026-01-02T12:00Z',
    '2026-01-03T04:30Z .',
  ],
  [
    'UNTIL without Z is by the clocks too',
    'FREQ=DAILY;UNTIL=20260102T090000',
    '2026-01-01T14:00Z',
    'America/New_York',
    '2026-01-01T15:00Z',
    '2026-01-02T14:00Z .',
  ],

  // Europe/Berlin: 2026-03-29 02:00 → 03:00, 2026-10-25 03:00 → 02:00.
  [
    'Berlin: nine stays nine in spring',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
    '2026-03-01T08:00Z',
    'Europe/Berlin',
    '2026-03-28T09:00Z',
    '2026-03-29T07:00Z 2026-03-30T07:00Z',
  ],
  [
    'Berlin: nine stays nine in autumn',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
    '2026-03-01T08:00Z',
    'Europe/Berlin',
    '2026-10-24T08:00Z',
    '2026-10-25T08:00Z 2026-10-26T08:00Z',
  ],
  [
    'Berlin: 02:30 in the gap is 03:30, for that day',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
    '2026-03-01T00:00Z',
    'Europe/Berlin',
    '2026-03-28T01:30Z',
    '2026-03-29T01:30Z 2026-03-30T00:30Z',
  ],
  [
    'Berlin: the gap when asked from within the hour after it',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
    '2026-03-01T00:00Z',
    'Europe/Berlin',
    '2026-03-29T01:10Z',
    '2026-03-29T01:30Z',
  ],
  [
    'Berlin: a moved time may come after the next one',
    'FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45',
    '2026-03-29T00:00Z',
    'Europe/Berlin',
    '2026-03-29T00:30Z',
    '2026-03-29T01:15Z 2026-03-29T01:45Z 2026-03-30T00:15Z',
  ],
  [
    'Berlin: the last second of the gap',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=59',
    '2026-03-29T00:00Z',
    'Europe/Berlin',
    '2026-03-29T00:30Z',
    '2026-03-29T01:59Z',
  ],
  [
    'Berlin: 02:30 comes twice and runs once',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
    '2026-03-01T00:00Z',
    'Europe/Berlin',
    '2026-10-24T00:30Z',
    '2026-10-25T00:30Z 2026-10-26T01:30Z',
  ],
  [
    'Berlin: asked between the two 02:30',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
    '2026-03-01T00:00Z',
    'Europe/Berlin',
    '2026-10-25T01:00Z',
    '2026-10-26T01:30Z',
  ],
  [
    'Berlin: the weekday is that of the zone',
    'FREQ=WEEKLY;BYDAY=MO;BYHOUR=0;BYMINUTE=30',
    '2026-07-01T00:00Z',
    'Europe/Berlin',
    '2026-07-01T00:00Z',
    '2026-07-05T22:30Z',
  ],
  [
    'Berlin: hours are absolute in spring',
    'FREQ=HOURLY;INTERVAL=2',
    '2026-03-28T23:00Z',
    'Europe/Berlin',
    '2026-03-29T00:00Z',
    '2026-03-29T01:00Z 2026-03-29T03:00Z',
  ],
  [
    'Berlin: hours are absolute in autumn',
    'FREQ=HOURLY',
    '2026-10-24T23:00Z',
    'Europe/Berlin',
    '2026-10-24T23:30Z',
    '2026-10-25T00:00Z 2026-10-25T01:00Z 2026-10-25T02:00Z',
  ],
  [
    'Berlin: an hourly rule within hours of the clocks',
    'FREQ=HOURLY;BYHOUR=9,10;BYMINUTE=0',
    '2026-03-28T00:00Z',
    'Europe/Berlin',
    '2026-03-28T09:30Z',
    '2026-03-29T07:00Z 2026-03-29T08:00Z',
  ],
  [
    'Berlin: 24 hours are no day in spring',
    'FREQ=HOURLY;INTERVAL=24',
    '2026-03-28T08:00Z',
    'Europe/Berlin',
    '2026-03-28T08:00Z',
    '2026-03-29T08:00Z 2026-03-30T08:00Z',
  ],
  [
    'Berlin: an hour that comes back in summer only',
    'FREQ=HOURLY;INTERVAL=24;BYHOUR=10',
    '2026-01-01T08:00Z',
    'Europe/Berlin',
    '2026-01-01T08:00Z',
    '2026-03-29T08:00Z 2026-03-30T08:00Z',
  ],

  // America/New_York: 2026-03-08 02:00 → 03:00, 2026-11-01 02:00 → 01:00.
  [
    'New York: the gap',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=0',
    '2026-03-01T07:00Z',
    'America/New_York',
    '2026-03-07T08:00Z',
    '2026-03-08T07:00Z 2026-03-09T06:00Z',
  ],
  [
    'New York: 01:30 twice',
    'FREQ=DAILY;BYHOUR=1;BYMINUTE=30',
    '2026-03-01T07:00Z',
    'America/New_York',
    '2026-10-31T06:00Z',
    '2026-11-01T05:30Z 2026-11-02T06:30Z',
  ],
  [
    'New York: a weekly rule over both changes',
    'FREQ=WEEKLY;INTERVAL=35;BYDAY=SU;BYHOUR=12;BYMINUTE=0',
    '2026-03-01T17:00Z',
    'America/New_York',
    '2026-03-01T00:00Z',
    '2026-03-01T17:00Z 2026-11-01T17:00Z',
  ],
  [
    'New York: the last second of a month',
    'FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=23;BYMINUTE=59;BYSECOND=59',
    '2026-03-01T00:00Z',
    'America/New_York',
    '2026-03-02T00:00Z',
    '2026-04-01T03:59:59Z',
  ],

  // Australia/Lord_Howe changes by half an hour: 2026-10-04 02:00 → 02:30, 2026-04-05 02:00 → 01:30.
  [
    'Lord Howe: a gap of half an hour',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=15',
    '2026-09-01T00:00Z',
    'Australia/Lord_Howe',
    '2026-10-03T00:00Z',
    '2026-10-03T15:45Z 2026-10-04T15:15Z',
  ],
  [
    'Lord Howe: 01:45 twice',
    'FREQ=DAILY;BYHOUR=1;BYMINUTE=45',
    '2026-03-01T00:00Z',
    'Australia/Lord_Howe',
    '2026-04-04T00:00Z',
    '2026-04-04T14:45Z 2026-04-05T15:15Z',
  ],
  [
    'Lord Howe: minutes are those of the clocks',
    'FREQ=HOURLY;BYMINUTE=0',
    '2026-10-03T12:00Z',
    'Australia/Lord_Howe',
    '2026-10-03T14:00Z',
    '2026-10-03T14:30Z 2026-10-03T15:30Z 2026-10-03T16:00Z',
  ],

  // Other corners.
  [
    'Apia: a day that never was',
    'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
    '2011-12-01T00:00Z',
    'Pacific/Apia',
    '2011-12-29T18:00Z',
    '2011-12-29T19:00Z 2011-12-30T19:00Z',
  ],
  [
    'Kathmandu: a quarter of an hour beside the others',
    'FREQ=HOURLY;BYMINUTE=0',
    '2026-01-01T00:00Z',
    'Asia/Kathmandu',
    '2026-01-01T00:00Z',
    '2026-01-01T00:15Z 2026-01-01T01:15Z',
  ],
  [
    'hours on weekdays only',
    'FREQ=HOURLY;BYDAY=MO;BYHOUR=9,10;BYMINUTE=30',
    '2026-01-01T00:00Z',
    'UTC',
    '2026-01-05T09:30Z',
    '2026-01-05T10:30Z 2026-01-12T09:30Z',
  ],
  [
    'every 5 hours goes on over midnight',
    'FREQ=HOURLY;INTERVAL=5',
    '2026-01-01T00:00Z',
    'UTC',
    '2026-01-01T20:00Z',
    '2026-01-02T01:00Z',
  ],

  // Ten years old.
  ['ten years of days', 'FREQ=DAILY', '2016-01-01T09:00Z', 'Europe/Berlin', '2026-06-01T00:00Z', '2026-06-01T08:00Z'],
  [
    'ten years of hours',
    'FREQ=HOURLY;INTERVAL=7',
    '2016-01-01T00:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-01T03:00Z',
  ],
  [
    'ten years of every third week',
    'FREQ=WEEKLY;INTERVAL=3;BYDAY=MO',
    '2016-01-04T09:00Z',
    'UTC',
    '2026-01-01T00:00Z',
    '2026-01-05T09:00Z',
  ],
];

for (const [name, rule, start, zone, after, times] of cases) {
  test(`${name}: ${rule}`, () => {
    const ends = times.endsWith('.');
    const expected = times.split(' ').filter((time) => time !== '.');
    const found = upcoming(recurrence(rule, start, zone), Date.parse(after), expected.length + (ends ? 1 : 0));
    assert.equal(found.map(short), expected);
  });
}

test('the next time is the first of those that come', () => {
  const rule = recurrence('FREQ=DAILY;COUNT=1', '2026-01-01T09:00:00Z', 'UTC');
  assert.is(next(rule, Date.parse('2026-01-01T00:00:00Z')), Date.parse('2026-01-01T09:00:00Z'));
  assert.is(next(rule, Date.parse('2026-01-01T09:00:00Z')), null);
  assert.equal(upcoming(rule, 0, 0), []);
});

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
    ...cases.map(([, rule, , zone]) => [rule, zone] as const).filter(([rule]) => !rule.includes('UNTIL')),
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
