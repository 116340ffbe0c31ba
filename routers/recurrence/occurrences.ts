import { instantOf, wallClockAt } from '../agents/wall-clock.ts';
import { hourlyInstants } from './hourly.ts';
import type { Rule } from './rule.ts';
import { wallTimes } from './wall-times.ts';

/** A rule with what anchors it: the instant it starts at (milliseconds since 1970), and the zone whose clocks it follows. */
export interface Recurrence {
  rule: Rule;
  start: number;
  timezone: string;
}

/** Longest change of clocks there was: islands that crossed the date line. */
const longestShift = 26 * 60 * 60_000;

function untilInstant({ rule: { until }, timezone }: Recurrence): number {
  if (until === null) return Number.POSITIVE_INFINITY;
  return 'instant' in until ? until.instant : instantOf(until.wall, timezone);
}

const ends = new Map<string, number>();
const mostEnds = 1000;

/** The last time of a rule with COUNT, which only counting from the start tells: of clocks, or of an hourly rule an instant. */
function endOf(recurrence: Recurrence): number {
  const { rule, start, timezone } = recurrence;
  if (rule.count === null) return Number.POSITIVE_INFINITY;
  const key = JSON.stringify(recurrence);
  const known = ends.get(key);
  if (known !== undefined) return known;
  const times =
    rule.frequency === 'HOURLY'
      ? hourlyInstants(rule, start, timezone, start)
      : wallTimes(rule, wallClockAt(start, timezone), Number.NEGATIVE_INFINITY);
  let end = Number.POSITIVE_INFINITY;
  let left = rule.count;
  for (const time of times) {
    if (instantAt(recurrence, time) < start) continue;
    end = time;
    if (--left === 0) break;
  }
  if (left > 0) end = Number.POSITIVE_INFINITY;
  if (ends.size >= mostEnds) ends.clear();
  ends.set(key, end);
  return end;
}

function instantAt({ rule, timezone }: Recurrence, time: number): number {
  return rule.frequency === 'HOURLY' ? time : instantOf(time, timezone);
}

function hourlyAfter(recurrence: Recurrence, after: number, count: number): number[] {
  const { rule, start, timezone } = recurrence;
  const last = Math.min(untilInstant(recurrence), endOf(recurrence));
  const found: number[] = [];
  for (const instant of hourlyInstants(rule, start, timezone, after + 1)) {
    if (instant > last) break;
    found.push(instant);
    if (found.length === count) break;
  }
  return found;
}

/**
 * By the clocks. A time that they skip comes later, perhaps after the next one; two may then fall together, and that is
 * one. So it goes on until no time can come before those found.
 */
function wallAfter(recurrence: Recurrence, after: number, count: number): number[] {
  const { rule, start, timezone } = recurrence;
  const [until, end] = [untilInstant(recurrence), endOf(recurrence)];
  const now = wallClockAt(after, timezone);
  const calm = wallClockAt(after - longestShift, timezone) === Math.floor((now - longestShift) / 1000) * 1000;
  const from = calm ? now : now - longestShift;
  const found = new Set<number>();
  let enough = Number.POSITIVE_INFINITY;
  for (const wall of wallTimes(rule, wallClockAt(start, timezone), from)) {
    if (wall > enough || wall > end || wall > until + longestShift) break;
    const instant = instantOf(wall, timezone);
    if (instant <= after || instant < start || instant > until) continue;
    found.add(instant);
    if (found.size === count) enough = wallClockAt(Math.max(...found), timezone);
  }
  return [...found].sort((a, b) => a - b).slice(0, count);
}

/**
 * The next `count` times of a recurrence after an instant, ascending (milliseconds since 1970). Where the clocks skip a
 * time it comes later by as much; one that they show twice is the first (CONTRACT §5). The cost does not depend on how
 * long ago the rule started, except with COUNT, the first time. None within a hundred years: none.
 */
export function upcoming(recurrence: Recurrence, after: number, count: number): number[] {
  if (count < 1) return [];
  return recurrence.rule.frequency === 'HOURLY'
    ? hourlyAfter(recurrence, after, count)
    : wallAfter(recurrence, after, count);
}

/** The next time after an instant; null when there is none. */
export function next(recurrence: Recurrence, after: number): number | null {
  return upcoming(recurrence, after, 1)[0] ?? null;
}
