import { hourlyInstants } from './hourly.ts';
import type { Recurrence } from './occurrences.ts';
import { wallClockAt } from './wall-clock.ts';
import { wallTimes } from './wall-times.ts';

/** Least distance between two times of a rule. */
export const minMinutesApart = 15;

/**
 * How many times are compared: with at most 96 a day on at most seven days of a week, a rule repeats its pattern before
 * that.
 */
const maxCompared = 1000;

/** Whether two wall times of the rule are less than 15 minutes apart (CONTRACT §5). */
export function isTooDense({ rule, start, timezone }: Recurrence): boolean {
  const startWall = wallClockAt(start, timezone);
  const times =
    rule.frequency === 'HOURLY'
      ? hourlyInstants(rule, start, timezone, start)
      : wallTimes(rule, startWall, Number.NEGATIVE_INFINITY);
  let before = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const time of times) {
    if (time - before < minMinutesApart * 60_000) return true;
    before = time;
    if (++count === maxCompared) return false;
  }
  return false;
}
