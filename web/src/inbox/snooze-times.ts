import type { FoundDate } from '../quick-add/dates.ts';
import { dayFrom, instantOf, timeOf, type WallTime, wallTimeAt } from '../quick-add/zoned.ts';

/* Until when something may be put off, on the clocks of the person. */

/** An instant in milliseconds, and what it is called. */
export interface SnoozeTime {
  at: number;
  name: string;
}

const hourMs = 3_600_000;
const morning = 9;
const evening = 18;
/** The evening is offered this many hours ahead at least. */
const eveningAheadHours = 2;
const monday = 1;

/** An instant in words: the weekday, the date and the time. */
export function inWords(at: number, timeZone: string): string {
  const parts = { weekday: 'long', day: 'numeric', month: 'long' } as const;
  const day = new Intl.DateTimeFormat('en', { ...parts, timeZone }).format(at);
  return `${day}, ${timeOf(wallTimeAt(at, timeZone))}`;
}

/** `days` later than a wall time, at an hour of that day. */
function later(wall: WallTime, days: number, hour: number, timeZone: string): number {
  return instantOf({ ...wall, day: wall.day + days, hour, minute: 0 }, timeZone);
}

/** The usual times, the soonest first. */
export function usualTimes(now: number, timeZone: string): SnoozeTime[] {
  const wall = wallTimeAt(now, timeZone);
  const weekday = new Date(dayFrom(wall, 0)).getUTCDay();
  const toMonday = (monday - weekday + 7) % 7 || 7;
  const named = (name: string, at: number): SnoozeTime => ({ at, name: `${name}: ${inWords(at, timeZone)}` });
  return [
    named('In 3 hours', Math.ceil((now + 3 * hourMs) / 60_000) * 60_000),
    ...(wall.hour < evening - eveningAheadHours ? [named('This evening', later(wall, 0, evening, timeZone))] : []),
    named('Tomorrow', later(wall, 1, morning, timeZone)),
    ...(toMonday > 1 ? [named('Next week', later(wall, toMonday, morning, timeZone))] : []),
    named('In 30 days', later(wall, 30, morning, timeZone)),
  ];
}

/** The time that a text names: a day alone is its morning, a time alone the next one. Undefined for the past. */
export function namedTime(found: FoundDate | undefined, now: number, timeZone: string): SnoozeTime | undefined {
  if (!found) return undefined;
  const today = wallTimeAt(now, timeZone);
  const [year = 0, month = 0, day = 0] = (found.day ?? dayFrom(today, 0)).split('-').map(Number);
  const [hour = morning, minute = 0] = found.time?.split(':').map(Number) ?? [];
  const wall = { year, month, day, hour, minute };
  let at = found.instant ?? instantOf(wall, timeZone);
  if (at <= now && found.day === null) at = instantOf({ ...wall, day: day + 1 }, timeZone);
  return at > now ? { at, name: inWords(at, timeZone) } : undefined;
}
