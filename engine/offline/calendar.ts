/** Arithmetic on calendar dates, `YYYY-MM-DD`, without time zones. */

const day = 24 * 60 * 60 * 1000;

function instantOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`);
}

function textOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Whether there is such a date, with a year of four digits. */
export function exists(date: string): boolean {
  const instant = instantOf(date);
  return !Number.isNaN(instant.getTime()) && textOf(instant) === date;
}

/** The date some days later; `days` may be negative. */
export function addDays(date: string, days: number): string {
  return textOf(new Date(instantOf(date).getTime() + days * day));
}

/** The same day some months later, or the last one of a shorter month. */
export function addMonths(date: string, months: number): string {
  const instant = instantOf(date);
  const first = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + months, 1));
  const last = lastOfMonth(textOf(first));
  return last.slice(0, 8) + (date.slice(8) < last.slice(8) ? date.slice(8) : last.slice(8));
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(date: string): number {
  return (instantOf(date).getUTCDay() + 6) % 7;
}

/** The Monday of the date's week. */
export function mondayOf(date: string): string {
  return addDays(date, -weekdayOf(date));
}

/** The first day of the date's month. */
export function firstOfMonth(date: string): string {
  return `${date.slice(0, 8)}01`;
}

/** The last day of the date's month. */
export function lastOfMonth(date: string): string {
  const instant = instantOf(date);
  return textOf(new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + 1, 0)));
}

/** `YYYY-MM-DD` of numbers, whether or not there is such a date. */
export function dateText(year: number, month: number, dayOfMonth: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}`;
}
