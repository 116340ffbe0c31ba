const full = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const steps: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

function relatively(instant: string): string {
  const seconds = (Date.parse(instant) - Date.now()) / 1000;
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

/** An instant as relative time, “3 minutes ago”; as a day beyond four weeks. */
export function Ago({ at }: { at: string }) {
  if (Math.abs(Date.parse(at) - Date.now()) > 28 * 86_400_000) return <Day at={at} />;
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {relatively(at)}
    </time>
  );
}

/** The time zone of this browser. */
export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Whole days until an instant; negative when it has passed. */
export function daysUntil(instant: string): number {
  return Math.ceil((Date.parse(instant) - Date.now()) / 86_400_000);
}
