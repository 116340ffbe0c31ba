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

/**
 * The times of day of a rule in milliseconds, ascending. There are up to 86,400: each is computed when it is asked for.
 */
export interface TimesOfDay {
  readonly length: number;
  at(index: number): number;
}

/** The times of day of a rule; on the full minute without BYSECOND. */
export function timesOfDay(rule: Rule, start: number): TimesOfDay {
  const time = new Date(start);
  const of = (list: readonly number[], otherwise: number) => (list.length > 0 ? list : [otherwise]);
  const hours = of(rule.hours, time.getUTCHours());
  const minutes = of(rule.minutes, time.getUTCMinutes());
  const seconds = of(rule.seconds, 0);
  const perHour = minutes.length * seconds.length;
  return {
    length: hours.length * perHour,
    at: (index) => {
      const hour = hours[Math.floor(index / perHour)] ?? 0;
      const minute = minutes[Math.floor((index % perHour) / seconds.length)] ?? 0;
      return ((hour * 60 + minute) * 60 + (seconds[index % seconds.length] ?? 0)) * 1000;
    },
  };
}

/** The places of BYSETPOS among `length` items of a period, from 0 on, ascending. */
export function placesOf(positions: readonly number[], length: number): number[] {
  const places = positions.map((place) => (place > 0 ? place - 1 : length + place));
  const inside = places.filter((place) => place >= 0 && place < length);
  return [...new Set(inside)].sort((a, b) => a - b);
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
      const days: number[] = [];
      for (let day = first; day < last; day++) if (passes(day)) days.push(day);
      // The times of the period are not listed: there are up to 31 million.
      for (const place of placesOf(rule.positions, days.length * times.length)) {
        const wall = (days[Math.floor(place / times.length)] ?? 0) * dayMs + times.at(place % times.length);
        if (wall >= lowest) yield wall;
      }
      continue;
    }
    for (let day = Math.max(first, Math.floor(lowest / dayMs)); day < last; day++) {
      if (!passes(day)) continue;
      for (let index = 0; index < times.length; index++) {
        const wall = day * dayMs + times.at(index);
        if (wall >= lowest) yield wall;
      }
    }
  }
}
