import { wallClockAt } from '../agents/wall-clock.ts';
import { hourlyInstants } from './hourly.ts';
import type { Recurrence } from './occurrences.ts';
import { wallTimes } from './wall-times.ts';

/** Times of a rule may be this close, and not closer. */
export const closestMinutes = 15;

/** A rule repeats its pattern well within so many times: 96 a day, on at most seven days of a week. */
const looked = 1000;

/** Whether times of the rule come closer than 15 minutes to each other, by the clocks (CONTRACT §5). */
export function isTooDense({ rule, start, timezone }: Recurrence): boolean {
  const startWall = wallClockAt(start, timezone);
  const times =
    rule.frequency === 'HOURLY'
      ? hourlyInstants(rule, start, timezone, start)
      : wallTimes(rule, startWall, Number.NEGATIVE_INFINITY);
  let before = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const time of times) {
    if (time - before < closestMinutes * 60_000) return true;
    before = time;
    if (++count === looked) return false;
  }
  return false;
}
