import { civilOf, dayMs, dayNumber, daysInMonth, daysInYear, weekBegin } from './calendar.ts';
import { dayFilter } from './day-filter.ts';
import type { Rule } from './rule.ts';

/** Days ahead that are searched for a time: a leap day on a given weekday occurs within 40 years. */
export const horizonDays = 36_525;

/** The periods that a rule steps by, numbered by `index`. */
interface Grid {
  /** Days of the longest period. */
  maxDays: number;
  indexOf(day: number): number;
  first(index: number): number;
  length(index: number): number;
}

function gridOf({ frequency, weekStart }: Rule): Grid {
  switch (frequency) {
    case 'YEARLY':
      return {
        maxDays: 366,
        indexOf: (day) => civilOf(day).year,
        first: (year) => dayNumber(year, 1, 1),
        length: daysInYear,
      };
    case 'MONTHLY':
      return {
        maxDays: 31,
        indexOf: (day) => {
          const { year, month } = civilOf(day);
          return year * 12 + month - 1;
        },
        first: (index) => dayNumber(Math.floor(index / 12), (index % 12) + 1, 1),
        length: (index) => daysInMonth(Math.floor(index / 12), (index % 12) + 1),
      };
    case 'WEEKLY': {
      const origin = weekBegin(0, weekStart);
      return {
        maxDays: 7,
        indexOf: (day) => (weekBegin(day, weekStart) - origin) / 7,
        first: (index) => origin + index * 7,
        length: () => 7,
      };
    }
    default:
      return { maxDays: 1, indexOf: (day) => day, first: (index) => index, length: () => 1 };
  }
}

/** The times of day of a rule in milliseconds, ascending; on the full minute without BYSECOND. */
export function timesOfDay({ hours, minutes, seconds }: Rule, start: number): number[] {
  const of = (list: number[], otherwise: number) => (list.length > 0 ? list : [otherwise]);
  const time = new Date(start);
  return of(hours, time.getUTCHours()).flatMap((hour) =>
    of(minutes, time.getUTCMinutes()).flatMap((minute) =>
      of(seconds, 0).map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  );
}

/** The items of a period at the places of BYSETPOS, ascending. */
export function chosen<Item>(items: readonly Item[], positions: readonly number[]): Item[] {
  const places = positions.map((place) => (place > 0 ? place - 1 : items.length + place));
  const inside = places.filter((place) => place >= 0 && place < items.length);
  return [...new Set(inside)].sort((a, b) => a - b).flatMap((place) => items[place] ?? []);
}

/**
 * The wall times of a rule that is not hourly, ascending, from `from` on and never before `start`. The search begins at
 * the period of `from`, not at the start, and ends a hundred years later.
 */
export function* wallTimes(rule: Rule, start: number, from: number): Generator<number> {
  const grid = gridOf(rule);
  const times = timesOfDay(rule, start);
  const startDay = Math.floor(start / dayMs);
  const nearest = Math.min(...rule.positions.map(Math.abs));
  if (rule.positions.length > 0 && nearest > grid.maxDays * times.length) return;
  const passes = dayFilter(rule, startDay);
  const lowest = Math.max(start, from);
  const origin = grid.indexOf(startDay);
  const steps = Math.ceil((grid.indexOf(Math.floor(lowest / dayMs)) - origin) / rule.interval);
  const horizon = Math.floor(lowest / dayMs) + horizonDays;
  for (let index = origin + steps * rule.interval; ; index += rule.interval) {
    const first = grid.first(index);
    if (first > horizon) return;
    const last = first + grid.length(index);
    if (rule.positions.length > 0) {
      const walls: number[] = [];
      for (let day = first; day < last; day++) {
        if (passes(day)) for (const time of times) walls.push(day * dayMs + time);
      }
      for (const wall of chosen(walls, rule.positions)) if (wall >= lowest) yield wall;
      continue;
    }
    for (let day = Math.max(first, Math.floor(lowest / dayMs)); day < last; day++) {
      if (!passes(day)) continue;
      for (const time of times) if (day * dayMs + time >= lowest) yield day * dayMs + time;
    }
  }
}
