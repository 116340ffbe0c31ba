const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const steps: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['hour', 3_600],
  ['minute', 60],
];
const daySeconds = 86_400;
/** What is further away than this is said as a day. */
const maxSeconds = 28 * daySeconds;

/** The number of the day that an instant has in this browser. */
function dayOf(instant: number): number {
  const at = new Date(instant);
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / (daySeconds * 1000);
}

/**
 * An instant in words, or null where it is too far away for them. From a day on they count the days of the calendar: on
 * a Monday evening, Wednesday morning is not “tomorrow”. `now`: in ms since 1970.
 */
export function relatively(instant: string, now: number): string | null {
  const at = Date.parse(instant);
  const seconds = (at - now) / 1000;
  if (Math.abs(seconds) > maxSeconds) return null;
  if (Math.abs(seconds) >= daySeconds) return relative.format(dayOf(at) - dayOf(now), 'day');
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}
