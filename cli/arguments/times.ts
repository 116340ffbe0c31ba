/*
 * Dates and times as people type them. Days and times without an offset are in the time zone of this machine. A full
 * RFC 3339 text is passed through unchanged.
 */

const units: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };
const two = (value: number) => String(value).padStart(2, '0');

function dayOf(time: Date): string {
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function daysAfter(now: Date, days: number): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12));
}

function isCalendarDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/**
 * `YYYY-MM-DD` from `YYYY-MM-DD`, `today`, `tomorrow`, `yesterday`, `+3d` or `-2w`; undefined when it is none of them.
 */
export function readDay(text: string, now: Date): string | undefined {
  if (isCalendarDay(text)) return text;
  const named = { today: 0, tomorrow: 1, yesterday: -1 }[text.toLowerCase()];
  if (named !== undefined) return daysAfter(now, named);
  const [, sign, count, unit] = /^([+-])(\d{1,4})([dw])$/.exec(text) ?? [];
  if (!sign) return undefined;
  return daysAfter(now, Number(`${sign}${count}`) * (unit === 'w' ? 7 : 1));
}

const full = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * RFC 3339 from RFC 3339, `now`, `-24h`, `+30m`, `YYYY-MM-DDTHH:MM` (with a space too) or `YYYY-MM-DD` (its first
 * minute); undefined when it is none of them.
 */
export function readInstant(text: string, now: Date): string | undefined {
  if (full.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : text;
  if (text.toLowerCase() === 'now') return now.toISOString();
  const [, sign, count, unit = ''] = /^([+-])(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (sign) return new Date(now.getTime() + Number(`${sign}${count}`) * (units[unit] ?? 0) * 1000).toISOString();
  const [, day, clock = '00:00'] = /^(\S{10})(?:[Tt ](\d{2}:\d{2}(?::\d{2})?))?$/.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const local = new Date(`${day}T${clock}`);
  return Number.isNaN(local.getTime()) ? undefined : local.toISOString();
}
