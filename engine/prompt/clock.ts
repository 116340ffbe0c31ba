/** The time on the clocks of a place. */
export interface LocalTime {
  /** `YYYY-MM-DD`. */
  date: string;
  /** In English. */
  weekday: string;
  /** `HH:MM`, 24 hours. */
  time: string;
  /** From UTC, in milliseconds. */
  offsetMs: number;
  /** From UTC, such as `UTC+01:00`. */
  offset: string;
}

const wanted = {
  calendar: 'iso8601',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  weekday: 'long',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one takes a hundred times as long as using it. */
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', { ...wanted, timeZone: timezone });
  if (formats.size >= 100) formats.clear();
  formats.set(timezone, format);
  return format;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `UTC${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** What the clocks of `timezone` (IANA) show at an instant. @throws RangeError for an unknown zone. */
export function localTime(instant: Date, timezone: string): LocalTime {
  const parts = formatOf(timezone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}`;
  const shown = Date.parse(`${date}T${time}:${part('second')}.000Z`);
  const offsetMs = shown - Math.floor(instant.getTime() / 1000) * 1000;
  return { date, weekday: part('weekday'), time, offsetMs, offset: offsetText(offsetMs) };
}

/** The first instant of a date in a zone: midnight, or what comes after it where clocks jump over it. */
export function startOfDay(date: string, timezone: string): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const day = 24 * 60 * 60 * 1000;
  const starts = [midnight - day, midnight + day]
    .map((around) => new Date(midnight - localTime(new Date(around), timezone).offsetMs))
    .filter((instant) => localTime(instant, timezone).date === date)
    .sort((a, b) => a.getTime() - b.getTime());
  return starts[0] ?? new Date(midnight);
}
