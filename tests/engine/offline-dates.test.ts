import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readDay, readSpan } from '../../engine/offline/date-words.ts';
import { localTime, startOfDay } from '../../engine/prompt/clock.ts';
import { firstStep } from '../support/offline-engine.ts';

const test = suite('built-in dates');

/** 20 November 2026 is a Friday; checked against a printed calendar. */
const friday = '2026-11-20';

test('words for a day are read from a Friday', () => {
  const table: Record<string, string | undefined> = {
    today: '2026-11-20',
    tonight: '2026-11-20',
    tomorrow: '2026-11-21',
    'tomorrow morning': '2026-11-21',
    yesterday: '2026-11-19',
    'the day after tomorrow': '2026-11-22',
    Saturday: '2026-11-21',
    monday: '2026-11-23',
    Friday: '2026-11-27',
    'this friday': '2026-11-20',
    'next friday': '2026-11-27',
    'next monday': '2026-11-23',
    'last monday': '2026-11-16',
    'next tue': '2026-11-24',
    'this weekend': '2026-11-21',
    'next weekend': '2026-11-28',
    'next week': '2026-11-23',
    'next month': '2026-12-01',
    'next year': '2027-01-01',
    'end of the week': '2026-11-22',
    'the end of next week': '2026-11-29',
    'end of month': '2026-11-30',
    'end of next month': '2026-12-31',
    'end of the year': '2026-12-31',
    'in a day': '2026-11-21',
    'in 3 days': '2026-11-23',
    'in two weeks': '2026-12-04',
    'in a month': '2026-12-20',
    'in 1 year': '2027-11-20',
    'a week from today': '2026-11-27',
    '2026-03-01': '2026-03-01',
    '2026-3-1': '2026-03-01',
    '2026-02-30': '2026-02-30',
    'March 3': '2027-03-03',
    'December 24th': '2026-12-24',
    '24 Dec': '2026-12-24',
    'the 3rd of March 2028': '2028-03-03',
    'May 5, 2027': '2027-05-05',
    '24.12.': '2026-12-24',
    '1.3.2027': '2027-03-01',
    'the 25th': '2026-11-25',
    'the 3rd': '2026-12-03',
    'the 31st': '2026-12-31',
    month: undefined,
    sunny: undefined,
    '13.13.': undefined,
  };
  for (const [words, date] of Object.entries(table)) {
    if (date !== undefined) assert.is(readDay(words, friday), date, words);
    else assert.not.match(String(readDay(words, friday)), /^\d{4}-(0[1-9]|1[0-2])-/, words);
  }
});

test('a month later is the last day of a shorter month, and leap years have their day', () => {
  assert.is(readDay('in a month', '2027-01-31'), '2027-02-28');
  assert.is(readDay('in a month', '2028-01-31'), '2028-02-29');
  assert.is(readDay('in a year', '2028-02-29'), '2029-02-28');
  assert.is(readDay('the 31st', '2026-04-10'), '2026-05-31');
  assert.is(readDay('tomorrow', '2028-02-28'), '2028-02-29');
  assert.is(readDay('tomorrow', '2026-12-31'), '2027-01-01');
});

test('words for several days are read from a Friday', () => {
  const table: Record<string, [string, string]> = {
    'this week': ['2026-11-16', '2026-11-22'],
    'next week': ['2026-11-23', '2026-11-29'],
    'last week': ['2026-11-09', '2026-11-15'],
    'this month': ['2026-11-01', '2026-11-30'],
    'next month': ['2026-12-01', '2026-12-31'],
    'the next 10 days': ['2026-11-20', '2026-11-30'],
    'this weekend': ['2026-11-21', '2026-11-22'],
    tomorrow: ['2026-11-21', '2026-11-21'],
  };
  for (const [words, [first, last]] of Object.entries(table))
    assert.equal(readSpan(words, friday), { first, last }, words);
});

test('today is the day in the zone of the chat, not in UTC', async () => {
  const table: [now: string, timezone: string, date: string][] = [
    ['2026-11-20T10:00:00Z', 'Europe/Berlin', '2026-11-21'],
    ['2026-11-20T23:30:00Z', 'Europe/Berlin', '2026-11-22'],
    ['2026-11-20T22:59:59Z', 'Europe/Berlin', '2026-11-21'],
    ['2026-11-20T09:59:00Z', 'Pacific/Kiritimati', '2026-11-21'],
    ['2026-11-20T10:00:00Z', 'Pacific/Kiritimati', '2026-11-22'],
    ['2026-11-20T10:59:00Z', 'Pacific/Pago_Pago', '2026-11-20'],
    ['2026-11-20T11:00:00Z', 'Pacific/Pago_Pago', '2026-11-21'],
    ['2026-11-20T18:14:00Z', 'Asia/Kathmandu', '2026-11-21'],
    ['2026-11-20T18:15:00Z', 'Asia/Kathmandu', '2026-11-22'],
    ['2026-07-20T21:59:00Z', 'Europe/Berlin', '2026-07-21'],
    ['2026-07-20T22:00:00Z', 'Europe/Berlin', '2026-07-22'],
  ];
  for (const [now, timezone, dueDate] of table) {
    const calls = await firstStep('create a todo "X" due tomorrow', { facts: { now: new Date(now), timezone } });
    assert.equal(calls, [['create_todo', { title: 'X', dueDate }]], `${now} ${timezone}`);
  }
});

test('“created today” begins at midnight of the zone, or after it where clocks jump over midnight', () => {
  const table: [date: string, timezone: string, instant: string][] = [
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'Europe/Berlin', '2026-11-19T23:00:00.000Z'],
    ['2026-07-20', 'Europe/Berlin', '2026-07-19T22:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-11-20', 'America/New_York', '2026-11-20T05:00:00.000Z'],
    ['2026-11-20', 'Asia/Kolkata', '2026-11-19T18:30:00.000Z'],
    // Clocks in Cairo go from 24:00 to 01:00 on the last Friday of April.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ];
  for (const [date, timezone, instant] of table) {
    assert.is(startOfDay(date, timezone).toISOString(), instant, `${date} ${timezone}`);
  }
});

test('the local time of a zone has its weekday and its offset from UTC', () => {
  const at = (instant: string, zone: string) => {
    const { offsetMs: _, ...rest } = localTime(new Date(instant), zone);
    return rest;
  };
  assert.equal(at('2026-11-20T23:30:00Z', 'Europe/Berlin'), {
    date: '2026-11-21',
    weekday: 'Saturday',
    time: '00:30',
    offset: 'UTC+01:00',
  });
  assert.equal(at('2026-11-20T00:00:00Z', 'America/St_Johns'), {
    date: '2026-11-19',
    weekday: 'Thursday',
    time: '20:30',
    offset: 'UTC-03:30',
  });
  assert.equal(at('2026-11-20T12:00:00Z', 'UTC'), {
    date: '2026-11-20',
    weekday: 'Friday',
    time: '12:00',
    offset: 'UTC+00:00',
  });
});

test.run();
