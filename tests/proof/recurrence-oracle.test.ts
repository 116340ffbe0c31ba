import * as fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { upcoming } from '../../domain/recurrence/occurrences.ts';
import { parseRule } from '../../domain/recurrence/rule.ts';

const test = suite('recurrence beside another implementation of RFC 5545');

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const some = <Value>(values: Value[], most: number) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most });
const part = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/**
 * Rules that both read alike: no BYWEEKNO and BYYEARDAY, which the other one mixes up with BYDAY, nor numbered weekdays
 * beside days of the month. In UTC: the other one leaves out times that the clocks skip, ours come later.
 */
const rules = fc
  .record({
    FREQ: fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'),
    INTERVAL: part(fc.constantFrom(1, 2, 3, 4, 5, 7, 12)),
    BYMONTH: part(some(range(1, 12), 4)),
    BYMONTHDAY: part(some([1, 13, 28, 29, 30, 31, -1, -2, -31], 4)),
    BYDAY: part(some(weekdays, 4)),
    nth: part(fc.constantFrom(1, 2, 4, 5, -1, -5)),
    BYHOUR: part(some(range(0, 23), 3)),
    BYMINUTE: part(some([0, 15, 30, 45], 3)),
    BYSETPOS: part(some([1, 2, 3, -1, -2], 2)),
    WKST: part(fc.constantFrom(...weekdays)),
    COUNT: part(fc.constantFrom(1, 5, 20)),
  })
  .map(({ nth, ...parts }) => {
    const rule: Record<string, unknown> = { ...parts };
    if (rule.FREQ === 'WEEKLY') delete rule.BYMONTHDAY;
    const numbered = (rule.FREQ === 'MONTHLY' || rule.FREQ === 'YEARLY') && !rule.BYMONTHDAY && nth !== undefined;
    if (numbered && parts.BYDAY) rule.BYDAY = parts.BYDAY.map((day) => `${nth}${day}`);
    if (!Object.keys(rule).some((name) => /^BY(?!SETPOS)/.test(name) && rule[name])) delete rule.BYSETPOS;
    const set = Object.entries(rule).filter(([, value]) => value !== undefined);
    return set.map(([name, value]) => `${name}=${value}`).join(';');
  });

/** Ours looks ahead so far, and to the end of the period in which that is. */
const horizonMs = 36_525 * 86_400_000;

/** Null when it gives up. */
function others(rule: string, start: number, after: number, count: number): number[] | null {
  const begin = new Date(start).toISOString().replace(/[-:]|\.\d+Z/g, '');
  const times: number[] = [];
  try {
    const other = new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${begin}\nRRULE:${rule}` });
    for (let at = after; times.length < count; ) {
      const found = other.next(new Date(at));
      if (!found) break;
      at = found.epochMilliseconds;
      times.push(at);
    }
  } catch {
    return null;
  }
  return times;
}

test('the next times of any rule are those that the other one finds', () => {
  let compared = 0;
  const minutes = fc.integer({ min: Date.UTC(2015, 0, 1) / 60_000, max: Date.UTC(2025, 0, 1) / 60_000 });
  const property = fc.property(rules, minutes, fc.integer({ min: -1000, max: 4000 * 1440 }), (rule, minute, ahead) => {
    const start = minute * 60_000;
    const after = start + ahead * 60_000;
    const expected = others(rule, start, after, 5);
    if (expected === null) return;
    compared++;
    const found = upcoming({ rule: parseRule(rule), start, timezone: 'UTC' }, after, 5);
    const near = (times: number[]) => times.filter((time) => time < after + horizonMs);
    assert.equal(
      near(found).map((time) => new Date(time).toISOString()),
      near(expected).map((time) => new Date(time).toISOString()),
      `${rule} from ${new Date(start).toISOString()} after ${new Date(after).toISOString()}`,
    );
  });
  fc.assert(property, { numRuns: 400 });
  assert.ok(compared > 250, `only ${compared} of 400 were compared`);
});

test.run();
