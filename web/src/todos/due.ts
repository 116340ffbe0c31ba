import { daysBetween, nearDays } from '../todo-common/days.ts';
import type { Todo } from '../todo-common/queries.ts';
import type { Filter } from './filter.ts';

/* The headings of groups. Dates are such as `2026-11-23`. */

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
