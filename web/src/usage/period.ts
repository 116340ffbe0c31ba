import { wallTimeAt } from '../quick-add/zoned.ts';

/* The period of the usage page, which is in its address: `?from=2026-11-01&to=2026-11-23`. Days are such as these. */

/** A period, both days included. */
export interface Period {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
const standardDays = 30;
/** The limit of the service. */
const maxDays = 366;

/** Periods that end today, by their days. */
export const presets: readonly number[] = [7, standardDays, 90, 365];

/** A day that there is; undefined for any other text. */
function dayIn(text: string | null): string | undefined {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${text}T`) ? (text ?? undefined) : undefined;
}

/** The day that is some days after another; before it when negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** How many days a period has. */
export function daysOf({ from, to }: Period): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs + 1;
}

/** The day of an instant, in milliseconds since 1970, in a time zone. */
export function dayAt(instant: number, timeZone: string): string {
  const { year, month, day } = wallTimeAt(instant, timeZone);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** The period of so many days that ends on a day. */
export function lastDays(days: number, to: string): Period {
  return { from: dayAfter(to, 1 - days), to };
}

/** Why a period cannot be shown; null when it can. */
export function faultIn(period: Period): string | null {
  if (period.from > period.to) return 'The first day must not be after the last one.';
  return daysOf(period) > maxDays ? `Choose ${maxDays} days at most.` : null;
}

/** The period in the query of an address; where it names none that can be shown, the last 30 days. */
export function periodIn(search: string, today: string): Period {
  const given = new URLSearchParams(search);
  const to = dayIn(given.get('to')) ?? today;
  const from = dayIn(given.get('from')) ?? lastDays(standardDays, to).from;
  const period = { from, to };
  return faultIn(period) === null ? period : lastDays(standardDays, today);
}

/** The query of an address with a period; empty for the standard one. */
export function searchOf({ from, to }: Period, today: string): string {
  const standard = lastDays(standardDays, today);
  return from === standard.from && to === standard.to ? '' : `?${new URLSearchParams({ from, to })}`;
}
