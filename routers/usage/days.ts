const dayMs = 86_400_000;

/** Offsets from UTC of a time zone. Asked of Intl, whose time zones are those that workspaces may name. */
function offsets(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds] = /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(name) ?? [];
    const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
    return (sign === '-' ? -offset : offset) * 1000;
  };
}

function asDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The calendar date of an instant in a time zone. */
export function dayAt(instant: Date, timezone: string): string {
  return asDay(instant.getTime() + offsets(timezone)(instant.getTime()));
}

/** The calendar date `count` days after another, or before it when negative. */
export function dayAfter(day: string, count: number): string {
  return asDay(Date.parse(`${day}T00:00:00Z`) + count * dayMs);
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs;
}

/**
 * When each of `count` days from `day` on begins in the time zone, and when the last one ends: milliseconds of the epoch.
 * A day whose midnight is skipped begins when the clocks go forward; one whose midnight comes twice, at the first.
 */
export function bordersOf(day: string, count: number, timezone: string): number[] {
  const offsetAt = offsets(timezone);
  const first = Date.parse(`${day}T00:00:00Z`);
  return Array.from({ length: count + 1 }, (_, place) => {
    const midnight = first + place * dayMs;
    const [before, after] = [midnight - offsetAt(midnight - dayMs), midnight - offsetAt(midnight + dayMs)];
    const exact = [before, after].filter((at) => at + offsetAt(at) === midnight);
    return exact.length > 0 ? Math.min(...exact) : before;
  });
}
