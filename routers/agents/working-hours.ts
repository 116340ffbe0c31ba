import type { Hours, Weekday } from './hours-shapes.ts';
import { instantOf, wallClockAt } from './wall-clock.ts';

const dayMs = 86_400_000;

/** As `getUTCDay` counts. */
const weekdays: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** How far to look: a week, and another where a change of clocks leaves nothing of the day of a one-day week. */
const farthest = 15;

/** `24:00` is the midnight that ends the day. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/**
 * When an agent with these hours works next: null when it works at the instant `at`, else the next opening (RFC 3339,
 * UTC, milliseconds). It works on each of its days from `start` until before `end` by the clocks of its zone. Where they
 * change, both are instants as `instantOf` has them, so a day may be longer, shorter or left out.
 */
export function nextOpening({ timezone, days, start, end }: Hours, at: Date): string | null {
  const now = at.getTime();
  const today = Math.floor(wallClockAt(now, timezone) / dayMs) * dayMs;
  // Yesterday too: its midnight may be one that the clocks skipped, and come later.
  for (let ahead = -1; ahead <= farthest; ahead++) {
    const midnight = today + ahead * dayMs;
    if (!days.includes(weekdays[new Date(midnight).getUTCDay()] as Weekday)) continue;
    const opens = instantOf(midnight + timeOfDay(start), timezone);
    const closes = instantOf(midnight + timeOfDay(end), timezone);
    if (opens >= closes || closes <= now) continue;
    return opens <= now ? null : new Date(opens).toISOString();
  }
  throw new Error('Working hours that never come');
}
