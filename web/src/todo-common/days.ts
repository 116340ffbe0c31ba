/* Days such as `2026-11-23`, and due dates in words. */

const dayMs = 86_400_000;
/** Days that are said by their distance. */
export const nearDays = 7;
const thisYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const otherYear = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Whole days from one date to another; negative when it is before. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);
}

/** A due date in words, “2 days over” or “tomorrow”; a date beyond a week. */
export function dueInWords(due: string, today: string): string {
  const days = daysBetween(today, due);
  if (days < 0) return days === -1 ? '1 day over' : `${-days} days over`;
  if (days <= 1) return days === 0 ? 'today' : 'tomorrow';
  if (days <= nearDays) return `in ${days} days`;
  const format = due.slice(0, 4) === today.slice(0, 4) ? thisYear : otherYear;
  return format.format(new Date(`${due}T00:00:00Z`));
}

/** The date in this browser, such as `2026-11-23`; `days` later if given. */
export function dateHere(days = 0): string {
  const now = new Date();
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** A date that there is; `Date` reads February 30 as one in March. */
export function existingDay(text: string): string | undefined {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${text}T`) ? text : undefined;
}
