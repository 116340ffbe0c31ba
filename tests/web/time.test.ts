import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { relatively } from '../../web/src/ui/relatively.ts';

const test = suite('times in words');

/** The 23rd is a Monday. */
const november = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);
const words = (at: Date, now: Date) => relatively(at.toISOString(), now.getTime());

test('less than a day is shown in hours and minutes', () => {
  assert.is(words(november(24, 7), november(23, 20)), 'in 11 hours');
  assert.is(words(november(23, 20), november(23, 20, 3)), '3 minutes ago');
  assert.is(words(november(23, 20), november(23, 20)), 'just now');
});

test('from a day on the days of the calendar are counted', () => {
  assert.is(words(november(25, 7), november(23, 20)), 'in 2 days');
  assert.is(words(november(24, 21), november(23, 20)), 'tomorrow');
  assert.is(words(november(23, 20), november(25, 7)), '2 days ago');
  assert.is(words(november(23, 8), november(24, 20)), 'yesterday');
  assert.is(words(november(27, 1), november(23, 20)), 'in 4 days');
});

test('beyond four weeks there are no words', () => {
  assert.is(words(november(1, 8), november(30, 8)), null);
});

test.run();
