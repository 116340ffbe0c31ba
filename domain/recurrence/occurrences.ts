import { lastInstant } from './calendar.ts';
import { hourlyInstants } from './hourly.ts';
import type { Rule } from './rule.ts';
import { instantOf, wallClockAt } from './wall-clock.ts';
import { wallTimes } from './wall-times.ts';

/** A rule with its start (an instant, milliseconds since 1970) and its IANA time zone. */
export interface Recurrence {
  rule: Rule;
  start: number;
  timezone: string;
}

/** The largest change of clocks on record: islands that crossed the date line. */
const maxShift = 26 * 60 * 60_000;

function untilInstant({ rule: { until }, timezone }: Recurrence): number {
  if (until === null) return lastInstant;
  return Math.min(lastInstant, 'instant' in until ? until.instant : instantOf(until.wall, timezone));
}

const ends = new Map<string, number>();
/** Entries of the cache of ends. */
const maxEnds = 1000;

/** The last time of a rule with COUNT, counted from its start: a wall time, or an instant for an hourly rule. */
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
  if (ends.size >= maxEnds) ends.clear();
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
 * The times of a rule that follows the wall clock. A time in a gap of the clocks moves later, perhaps after the next
 * one, and two equal instants count once. So the search ends only when no earlier instant can follow.
 */
function wallAfter(recurrence: Recurrence, after: number, count: number): number[] {
  const { rule, start, timezone } = recurrence;
  const [until, end] = [untilInstant(recurrence), endOf(recurrence)];
  const now = wallClockAt(after, timezone);
  const isSteady = wallClockAt(after - maxShift, timezone) === Math.floor((now - maxShift) / 1000) * 1000;
  const from = isSteady ? now : now - maxShift;
  const found = new Set<number>();
  let latest = Number.NEGATIVE_INFINITY;
  let enough = Number.POSITIVE_INFINITY;
  for (const wall of wallTimes(rule, wallClockAt(start, timezone), from)) {
    if (wall > enough || wall > end || wall > until + maxShift) break;
    const instant = instantOf(wall, timezone);
    if (instant <= after || instant < start || instant > until) continue;
    found.add(instant);
    latest = Math.max(latest, instant);
    if (found.size === count) enough = wallClockAt(latest, timezone);
  }
  return [...found].sort((a, b) => a - b).slice(0, count);
}

/**
 * The next `count` times of a recurrence after an instant, ascending (milliseconds since 1970). A wall time in a gap of
 * the clocks moves later by the gap; of a repeated wall time the first is used (CONTRACT §5). The cost does not depend
 * on the age of the rule, except for the first call with COUNT. Times are searched for a hundred years
 * ahead, and not after the year 9999.
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
