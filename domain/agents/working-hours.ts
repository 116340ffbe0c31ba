import { instantOf, wallClockAt } from '../recurrence/wall-clock.ts';
import type { Hours, Weekday } from './hours-shapes.ts';

const dayMs = 86_400_000;

/** As `getUTCDay` counts. */
const weekdays: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Days to search: a week, and another one for a one-day week whose day a change of clocks leaves out. */
const maxDaysAhead = 15;

/** `24:00` is the midnight that ends the day. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/**
 * When these hours are open next: null when they are open `now`, else the next opening (RFC 3339,
 * UTC, milliseconds). They are open on each of the days from `start` until before `end` in wall-clock time of the zone.
 * Where the clocks change, both are instants as `instantOf` returns them, so a day may be longer, shorter or left out.
 */
export function nextOpening({ timezone, days, start, end }: Hours, now: Date): string | null {
  const nowMs = now.getTime();
  const today = Math.floor(wallClockAt(nowMs, timezone) / dayMs) * dayMs;
  // From yesterday on: its midnight may be skipped by the clocks, and so be later.
  for (let ahead = -1; ahead <= maxDaysAhead; ahead++) {
    const midnight = today + ahead * dayMs;
    if (!days.includes(weekdays[new Date(midnight).getUTCDay()] as Weekday)) continue;
    const opens = instantOf(midnight + timeOfDay(start), timezone);
    const closes = instantOf(midnight + timeOfDay(end), timezone);
    if (opens >= closes || closes <= nowMs) continue;
    return opens <= nowMs ? null : new Date(opens).toISOString();
  }
  throw new Error('working hours without an opening');
}
