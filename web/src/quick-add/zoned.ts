/* Instants as the clocks of a time zone show them. Instants are milliseconds since 1970 in UTC. */

/** A time on the clocks of a zone; months and days begin at 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23', calendar: 'gregory' });
  formats.set(timeZone, format);
  return format;
}

/** What the clocks of a zone show at an instant. @throws RangeError for an unknown zone. */
export function wallTimeAt(instant: number, timeZone: string): WallTime {
  const parts = formatOf(timeZone).formatToParts(instant);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour'), minute: read('minute') };
}

/** The instant at which clocks in UTC show a wall time. */
export function asUtc({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

/**
 * How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. @throws RangeError for an unknown zone.
 */
export function offsetAt(instant: number, timeZone: string): number {
  return asUtc(wallTimeAt(instant, timeZone)) - Math.floor(instant / 60_000) * 60_000;
}

/**
 * The instant of a wall time. Of a time that the clocks show twice it is the first one; a time that they skip counts
 * from before the change (RFC 5545 §3.3.5), as the service reads the times of a schedule.
 */
export function instantOf(wall: WallTime, timeZone: string): number {
  const utc = asUtc(wall);
  const before = offsetAt(utc - dayMs, timeZone);
  for (const offset of [before, offsetAt(utc + dayMs, timeZone)]) {
    if (asUtc(wallTimeAt(utc - offset, timeZone)) === utc) return utc - offset;
  }
  return utc - before;
}

const two = (number: number) => String(number).padStart(2, '0');

/** The day that is some days after that of a wall time, `YYYY-MM-DD`. */
export function dayFrom({ year, month, day }: WallTime, days: number): string {
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}

/** The time of day of a wall time, `HH:MM`. */
export function timeOf({ hour, minute }: Pick<WallTime, 'hour' | 'minute'>): string {
  return `${two(hour)}:${two(minute)}`;
}
