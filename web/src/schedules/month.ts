import { instantOf } from '../quick-add/zoned.ts';
import type { Todo } from '../todo-common/queries.ts';
import { dayAfter, dayAt } from '../usage/period.ts';
import type { AgendaDay } from './agenda.ts';

/* The days of a month in weeks. Days are such as `2026-03-01`; weeks begin on Monday. */

/** Planned times of a todo, as listPlannedTimes returns them. */
export interface PlannedTodo {
  todoId: string;
  times: readonly string[];
  isCut: boolean;
}

/** The day in `?day=`; today where it is none, or one of a month before. */
export function dayIn(search: string, today: string): string {
  const given = new URLSearchParams(search).get('day') ?? '';
  const at = new Date(`${given}T00:00:00Z`);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${given}T`) && /^\d{4}-/.test(given);
  return isDay && given.slice(0, 7) >= today.slice(0, 7) ? given : today;
}

/** The weeks that a month touches: its days, and those of the months around it that fill the weeks. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  // Monday is 0.
  const weekday = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const begin = dayAfter(first, -weekday);
  const weeks = Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_day, place) => dayAfter(begin, 7 * week + place)),
  );
  return weeks.filter((week) => week.some((each) => each.startsWith(day.slice(0, 7))));
}

/** The same day of another month, or its last day where it has no such day. */
export function inMonth(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10);
}

/** The first instant of a day in a time zone: on some days the clocks skip midnight. */
export function beginOf(day: string, timeZone: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return new Date(instantOf({ year, month, day: date, hour: 0, minute: 0 }, timeZone)).toISOString();
}

/** The day that an arrow or another key of the grid leads to; undefined for any other key. */
export function dayByKey(key: string, day: string): string | undefined {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -7,
    ArrowDown: 7,
    Home: -weekday,
    End: 6 - weekday,
  };
  if (key === 'PageUp' || key === 'PageDown') return inMonth(day, key === 'PageUp' ? -1 : 1);
  const step = steps[key];
  return step === undefined ? undefined : dayAfter(day, step);
}

/** What is planned, by day in a time zone, the earliest first. Times of todos that are not given are left out. */
export function byDay(
  planned: readonly PlannedTodo[],
  todos: readonly Todo[],
  timeZone: string,
): ReadonlyMap<string, AgendaDay> {
  const byId = new Map(todos.map((todo) => [todo.id, todo]));
  const days = new Map<string, AgendaDay>();
  const all = planned.flatMap(({ todoId, times, isCut }) => {
    const todo = byId.get(todoId);
    if (!todo) return [];
    return times.map((at, place) => ({
      todo,
      at,
      isNext: at === todo.nextRunAt,
      hasMore: isCut && place === times.length - 1,
    }));
  });
  for (const each of all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    const day = dayAt(Date.parse(each.at), timeZone);
    const known = days.get(day);
    if (known) known.planned.push(each);
    else days.set(day, { day, planned: [each] });
  }
  return days;
}
