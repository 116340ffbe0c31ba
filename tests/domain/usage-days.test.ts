import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bordersOf, dayAfter, dayAt, daysBetween } from '../../domain/usage/days.ts';

const test = suite('days of a time zone');

const instants = (day: string, count: number, timezone: string) =>
  bordersOf(day, count, timezone).map((ms) => new Date(ms).toISOString().slice(0, 16));

test('a day begins at midnight where the workspace is', () => {
  assert.equal(instants('2026-03-01', 2, 'UTC'), ['2026-03-01T00:00', '2026-03-02T00:00', '2026-03-03T00:00']);
  assert.equal(instants('2026-03-01', 1, 'Asia/Kathmandu'), ['2026-02-28T18:15', '2026-03-01T18:15']);
  assert.equal(instants('2026-03-01', 1, 'Pacific/Kiritimati'), ['2026-02-28T10:00', '2026-03-01T10:00']);
  assert.equal(instants('2026-03-01', 1, 'Pacific/Pago_Pago'), ['2026-03-01T11:00', '2026-03-02T11:00']);
});

test('days on which the clocks change last 23 and 25 hours', () => {
  assert.equal(instants('2026-03-28', 3, 'Europe/Berlin'), [
    '2026-03-27T23:00',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
    '2026-03-30T22:00',
  ]);
  assert.equal(instants('2026-11-01', 1, 'America/New_York'), ['2026-11-01T04:00', '2026-11-02T05:00']);
});

test('a day whose midnight is skipped begins when the clocks go forward', () => {
  assert.equal(instants('2026-03-28', 2, 'Asia/Beirut'), ['2026-03-27T22:00', '2026-03-28T22:00', '2026-03-29T21:00']);
  assert.equal(instants('2026-09-06', 1, 'America/Santiago'), ['2026-09-06T04:00', '2026-09-07T03:00']);
});

test('a day whose last hour comes twice ends after the second', () => {
  assert.equal(instants('2026-10-24', 2, 'Asia/Beirut'), ['2026-10-23T21:00', '2026-10-24T22:00', '2026-10-25T22:00']);
});

test('a day whose first hour comes twice begins with the first', () => {
  assert.equal(instants('2026-11-01', 1, 'America/Havana'), ['2026-11-01T04:00', '2026-11-02T05:00']);
});

test('a day that a country left out has no length', () => {
  assert.equal(instants('2011-12-29', 3, 'Pacific/Apia'), [
    '2011-12-29T10:00',
    '2011-12-30T10:00',
    '2011-12-30T10:00',
    '2011-12-31T10:00',
  ]);
});

test('in every time zone the days of two years follow each other, and each instant falls into the day it is called', () => {
  for (const timezone of Intl.supportedValuesOf('timeZone').filter((_, place) => place % 7 === 0)) {
    const borders = bordersOf('2024-01-01', 800, timezone);
    for (let place = 0; place < 800; place++) {
      const [begin = 0, end = 0] = borders.slice(place, place + 2);
      const hours = (end - begin) / 3_600_000;
      assert.ok(hours >= 22.5 && hours <= 25.5, `${timezone} ${place}: ${hours} h`);
      if (place % 40 !== 0) continue;
      const day = dayAfter('2024-01-01', place);
      assert.is(dayAt(new Date(begin), timezone), day, timezone);
      assert.is(dayAt(new Date(end - 1), timezone), day, timezone);
      assert.is.not(dayAt(new Date(begin - 1), timezone), day, timezone);
    }
  }
});

test('calendar dates are counted over months, leap years and to the ends of the calendar', () => {
  assert.is(dayAfter('2024-02-28', 1), '2024-02-29');
  assert.is(dayAfter('2026-03-01', -1), '2026-02-28');
  assert.is(daysBetween('2024-01-01', '2025-01-01'), 366);
  assert.is(daysBetween('2026-03-02', '2026-03-01'), -1);
  assert.is(bordersOf('9999-12-31', 1, 'America/Lima').length, 2);
  assert.is(bordersOf('0001-01-01', 1, 'Africa/Monrovia').length, 2);
});

test.run();
