import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { next, upcoming } from '../../domain/recurrence/occurrences.ts';
import { calendarCases, recurrence, short } from '../support/recurrence-cases.ts';
import { clockCases } from '../support/recurrence-clock-cases.ts';

const test = suite('times of recurrence');

for (const [name, rule, start, zone, after, times] of [...calendarCases, ...clockCases]) {
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

test.run();
