import { useClock } from './clock.ts';
import { relatively } from './relatively.ts';

const full = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

const fullDay = new Intl.DateTimeFormat('en', { dateStyle: 'full' });

/** An instant as a day. */
export function Day({ at, title = full.format(new Date(at)) }: { at: string; title?: string }) {
  return (
    <time dateTime={at} title={title}>
      {day.format(new Date(at))}
    </time>
  );
}

/** A date such as `2026-11-23`, as a day. */
export function DueDay({ on }: { on: string }) {
  const at = `${on}T12:00:00`;
  return <Day at={at} title={fullDay.format(new Date(at))} />;
}

/** An instant as relative time, “3 minutes ago”, which goes on; as a day beyond four weeks. */
export function Ago({ at }: { at: string }) {
  const words = useClock(() => relatively(at, Date.now()));
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
