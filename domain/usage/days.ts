import { instantOf, wallClockAt } from '../recurrence/wall-clock.ts';

const dayMs = 86_400_000;

function midnightOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** The calendar date of an instant in a time zone. */
export function dayAt(instant: Date, timezone: string): string {
  return dayOf(wallClockAt(instant.getTime(), timezone));
}

/** The calendar date `count` days after another, or before it when negative. */
export function dayAfter(day: string, count: number): string {
  return dayOf(midnightOf(day) + count * dayMs);
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return (midnightOf(to) - midnightOf(from)) / dayMs;
}

/**
 * The begin of each of `count` days from `day` on in the time zone, and the end of the last one: milliseconds since
 * 1970. A day whose midnight is skipped begins when the clocks go forward; one with two midnights at the first.
 */
export function bordersOf(day: string, count: number, timezone: string): number[] {
  const first = midnightOf(day);
  return Array.from({ length: count + 1 }, (_, place) => instantOf(first + place * dayMs, timezone));
}
