import type { Todo } from '../work/queries.ts';
import type { Filter } from './filter.ts';

/* Due dates in words, and the headings of groups. Dates are such as `2026-11-23`. */

const dayMs = 86_400_000;
const nearDays = 7;
const thisYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const otherYear = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Whole days from one date to another; negative when it is before. */
function daysBetween(from: string, to: string): number {
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

const priorityHeadings = { urgent: 'Urgent', high: 'High', medium: 'Medium', low: 'Low' };

/** The heading of the group that a todo belongs to. */
export function groupOf(
  { priority, dueDate }: Pick<Todo, 'priority' | 'dueDate'>,
  group: NonNullable<Filter['group']>,
  today: string,
): string {
  if (group === 'priority') return priority === null ? 'No priority' : priorityHeadings[priority];
  if (dueDate === null) return 'No due date';
  const days = daysBetween(today, dueDate);
  if (days < 0) return 'Overdue';
  if (days <= 1) return days === 0 ? 'Today' : 'Tomorrow';
  return days <= nearDays ? 'Within a week' : 'Later';
}
