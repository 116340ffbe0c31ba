import { type Civil, civilOf, dayNumber, daysInMonth, daysInYear, weekdayOf, weekNumber } from './calendar.ts';
import type { ByDay, Rule } from './rule.ts';

/** Whether a day, counted from 1970-01-01, is allowed. */
export type DayFilter = (day: number) => boolean;

/** The place of `index` (from 0) among `length`, from the front and from the back, as RFC 5545 numbers them. */
function places(index: number, length: number): [number, number] {
  return [index + 1, index - length];
}

function hasPlace(list: readonly number[], index: number, length: number): boolean {
  const [front, back] = places(index, length);
  return list.includes(front) || list.includes(back);
}

/** Whether a day is one of BYDAY: any such weekday, or the nth of its month (of its year, when `ofYear`). */
function isByDay(days: readonly ByDay[], { day, year, month, date }: Civil, ofYear: boolean): boolean {
  const weekday = weekdayOf(day);
  return days.some((each) => {
    if (each.weekday !== weekday) return false;
    if (each.nth === 0) return true;
    const index = ofYear ? day - dayNumber(year, 1, 1) : date - 1;
    const length = ofYear ? daysInYear(year) : daysInMonth(year, month);
    const behind = length - 1 - index;
    return each.nth > 0 ? Math.floor(index / 7) + 1 === each.nth : Math.floor(behind / 7) + 1 === -each.nth;
  });
}

/**
 * The days that a rule allows (RFC 5545 §3.3.10). Parts that the rule omits are taken from `start`, its first day: a
 * weekly rule without weekdays repeats on the weekday of its start, and so on.
 */
export function dayFilter(rule: Rule, start: number): DayFilter {
  const { frequency, weekNumbers, yearDays, weekStart } = rule;
  const from = civilOf(start);
  let { months, monthDays, days } = rule;
  const open = days.length === 0 && monthDays.length === 0 && yearDays.length === 0;
  if (frequency === 'YEARLY' && open && weekNumbers.length === 0) {
    monthDays = [from.date];
    if (months.length === 0) months = [from.month];
  }
  if (frequency === 'MONTHLY' && open) monthDays = [from.date];
  if ((frequency === 'WEEKLY' || weekNumbers.length > 0) && open) days = [{ nth: 0, weekday: weekdayOf(start) }];
  const ofYear = frequency === 'YEARLY' && months.length === 0;
  const nothing = [months, monthDays, days, yearDays, weekNumbers].every((list) => list.length === 0);
  if (nothing) return () => true;
  return (day) => {
    const civil = civilOf(day);
    const { year, month, date } = civil;
    if (months.length > 0 && !months.includes(month)) return false;
    if (monthDays.length > 0 && !hasPlace(monthDays, date - 1, daysInMonth(year, month))) return false;
    if (days.length > 0 && !isByDay(days, civil, ofYear)) return false;
    if (yearDays.length > 0 && !hasPlace(yearDays, day - dayNumber(year, 1, 1), daysInYear(year))) return false;
    if (weekNumbers.length === 0) return true;
    const { week, weeks } = weekNumber(day, weekStart);
    return hasPlace(weekNumbers, week - 1, weeks);
  };
}
