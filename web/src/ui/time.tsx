import { useClock } from './clock.ts';

const full = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const steps: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** What is further away than this is said as a day. */
const maxSeconds = 28 * 86_400;

/** An instant in words, or null where it is too far away for them. */
function relatively(instant: string): string | null {
  const seconds = (Date.parse(instant) - Date.now()) / 1000;
  if (Math.abs(seconds) > maxSeconds) return null;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}

/** An instant as a day. */
export function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {day.format(new Date(at))}
    </time>
  );
}

/** A date such as `2026-11-23`, as a day. */
export function DueDay({ on }: { on: string }) {
  return <Day at={`${on}T12:00:00`} />;
}

/** An instant as relative time, “3 minutes ago”, which goes on; as a day beyond four weeks. */
export function Ago({ at }: { at: string }) {
  const words = useClock(() => relatively(at));
  if (words === null) return <Day at={at} />;
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {words}
    </time>
  );
}

/** Whole days until an instant; negative when it has passed. */
export function daysUntil(instant: string): number {
  return Math.ceil((Date.parse(instant) - Date.now()) / 86_400_000);
}
