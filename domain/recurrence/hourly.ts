import { dayMs, hourMs } from './calendar.ts';
import { dayFilter } from './day-filter.ts';
import type { Rule } from './rule.ts';
import { instantOf, wallClockAt } from './wall-clock.ts';
import { horizonDays, placesOf } from './wall-times.ts';

/** Days without a time after which the search ends: more than a year, with both changes of the clocks. */
const maxEmptyDays = 400;

/** The times within an hour in milliseconds, ascending. */
function timesOfHour({ minutes, seconds, positions }: Rule, startWall: number): number[] {
  const startMinute = Math.floor(startWall / 60_000) % 60;
  const times = (minutes.length > 0 ? minutes : [startMinute]).flatMap((minute) =>
    (seconds.length > 0 ? seconds : [0]).map((second) => (minute * 60 + second) * 1000),
  );
  return positions.length > 0 ? placesOf(positions, times.length).flatMap((place) => times[place] ?? []) : times;
}

/**
 * The instant of the wall time `wall` in the hour that starts at `hour`. After a change by half an hour it may be
 * before that hour; a wall time in a gap moves later.
 */
function minuteOf(hour: number, wall: number, timezone: string): number {
  const instant = hour + wall - wallClockAt(hour, timezone);
  return wallClockAt(instant, timezone) === wall ? instant : instantOf(wall, timezone);
}

/** The first day after `day` that passes; undefined when there is none before the horizon. */
function nextDay(passes: (day: number) => boolean, day: number, horizon: number): number | undefined {
  for (let each = day + 1; each <= horizon; each++) if (passes(each)) return each;
  return undefined;
}

/**
 * The instants of an hourly rule, ascending, from `from` on and never before `start`. Hours are counted in absolute
 * time from the start, so a change of the clocks neither adds nor drops one; BYMONTH, BYDAY, BYHOUR and the minutes
 * follow the wall clock (CONTRACT §10.12).
 */
export function* hourlyInstants(rule: Rule, start: number, timezone: string, from: number): Generator<number> {
  const startWall = wallClockAt(start, timezone);
  const passes = dayFilter(rule, Math.floor(startWall / dayMs));
  const times = timesOfHour(rule, startWall);
  if (times.length === 0) return;
  const step = rule.interval * hourMs;
  const base = Math.floor(start / 1000) * 1000 - (startWall % hourMs);
  const lowest = Math.max(start, from);
  const horizon = Math.floor(lowest / dayMs) + horizonDays;
  let latest = Number.NEGATIVE_INFINITY;
  let emptyDays = 0;
  let lastDay = 0;
  for (let count = Math.max(0, Math.floor((lowest - base) / step) - 1); emptyDays <= maxEmptyDays; ) {
    const hour = base + count * step;
    const wall = wallClockAt(hour, timezone);
    const day = Math.floor(wall / dayMs);
    if (day > horizon) return;
    if (!passes(day)) {
      const next = nextDay(passes, day, horizon);
      if (next === undefined) return;
      const midnight = instantOf(next * dayMs, timezone);
      count = Math.max(count + 1, Math.floor((midnight - base) / step));
      continue;
    }
    count++;
    if (day !== lastDay) emptyDays++;
    lastDay = day;
    if (rule.hours.length > 0 && !rule.hours.includes(Math.floor(wall / hourMs) % 24)) continue;
    const clockHour = wall - (wall % hourMs);
    for (const time of times) {
      const instant = rule.minutes.length > 0 ? minuteOf(hour, clockHour + time, timezone) : hour + time;
      if (instant < lowest || instant <= latest) continue;
      emptyDays = 0;
      latest = instant;
      yield instant;
    }
  }
}
