import { civilOf, dayMs, weekdayOf } from './calendar.ts';
import type { Recurrence } from './occurrences.ts';
import type { ByDay, Rule } from './rule.ts';
import { wallClockAt } from './wall-clock.ts';
import { timesOfDay } from './wall-times.ts';

const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const monthNames = 'January February March April May June July August September October November December'.split(' ');
const units = { YEARLY: 'year', MONTHLY: 'month', WEEKLY: 'week', DAILY: 'day', HOURLY: 'hour' };
const workdays = '0,1,2,3,4';

/** More times of a day than these are counted, not listed. */
const maxTimes = 6;

function joined(words: readonly string[], word = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${word} ${last}`;
}

function ordinal(number: number): string {
  const ending = ['th', 'st', 'nd', 'rd'];
  return `${number}${(number % 100 > 10 && number % 100 < 14 ? undefined : ending[number % 10]) ?? 'th'}`;
}

/** “1st”, “last”, “2nd to last”. */
function place(number: number): string {
  if (number > 0) return ordinal(number);
  return number === -1 ? 'last' : `${ordinal(-number)} to last`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function timeText(time: number): string {
  const text = new Date(time).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}

function dateText(wall: number): string {
  const { year, month, date } = civilOf(Math.floor(wall / dayMs));
  return `${date} ${monthNames[month - 1]} ${year}`;
}

function daysText(days: readonly ByDay[]): string {
  return joined(
    [...days]
      .sort((a, b) => a.nth - b.nth || a.weekday - b.weekday)
      .map(({ nth, weekday }) => `${nth === 0 ? '' : `the ${place(nth)} `}${dayNames[weekday]}`),
  );
}

function isWorkdays({ days }: Rule): boolean {
  return (
    days.every(({ nth }) => nth === 0) &&
    days
      .map(({ weekday }) => weekday)
      .sort()
      .join() === workdays
  );
}

/**
 * The day of a rule that uses the last day of shorter months: `BYMONTHDAY=28,29,30,31;BYSETPOS=-1`; else null. Of other
 * weekdays or times of day, the position chooses too.
 */
function shortened(rule: Rule, startWall: number): number | null {
  const { frequency, days, months, monthDays, positions } = rule;
  const last = monthDays.at(-1) ?? 0;
  const run = monthDays[0] === 28 && monthDays.length === last - 27 && last > 28;
  const isMonthly = frequency === 'MONTHLY' || (frequency === 'YEARLY' && months.length === 1);
  const isAlone = days.length === 0 && timesOfDay(rule, startWall).length === 1;
  return run && isMonthly && isAlone && positions.join() === '-1' ? last : null;
}

function monthDaysText(rule: Rule, startWall: number): string {
  const { monthDays: days } = rule;
  const last = shortened(rule, startWall);
  if (last !== null) return `on day ${last}, or the last day of a shorter month`;
  const front = days.filter((day) => day > 0).map(String);
  const back = [...days]
    .reverse()
    .filter((day) => day < 0)
    .map((day) => `the ${place(day)} day`);
  return `on ${joined([...(front.length > 0 ? [`day ${joined(front)}`] : []), ...back])}`;
}

/** “every day”, “every 2 weeks on Monday”, “every year on 1 March”. */
function rhythm(rule: Rule, startWall: number): string {
  const { frequency, interval, days, monthDays, months, yearDays, weekNumbers } = rule;
  const start = civilOf(Math.floor(startWall / dayMs));
  const every = interval === 1 ? `every ${units[frequency]}` : `every ${interval} ${units[frequency]}s`;
  const inMonths = months.length > 0 ? [`in ${joined(months.map((month) => monthNames[month - 1] ?? ''))}`] : [];
  const bare = days.length + monthDays.length + yearDays.length + weekNumbers.length === 0;
  if (frequency === 'YEARLY' && bare && months.length <= 1) {
    return `${every} on ${start.date} ${monthNames[(months[0] ?? start.month) - 1]}`;
  }
  if (
    frequency === 'YEARLY' &&
    months.length === 1 &&
    monthDays.length === 1 &&
    days.length === 0 &&
    yearDays.length === 0
  ) {
    const [day = 1] = monthDays;
    if (day > 0 && weekNumbers.length === 0) return `${every} on ${day} ${monthNames[(months[0] ?? 1) - 1]}`;
  }
  const workweek = ['WEEKLY', 'DAILY'].includes(frequency) && interval === 1 && isWorkdays(rule);
  const words = [workweek ? 'every weekday' : every];
  if (frequency === 'WEEKLY' && days.length === 0) words.push(`on ${dayNames[weekdayOf(start.day)]}`);
  if (['MONTHLY', 'YEARLY'].includes(frequency) && bare) words.push(`on day ${start.date}`);
  if (monthDays.length > 0) words.push(monthDaysText(rule, startWall));
  if (days.length > 0 && !workweek) {
    words.push(
      monthDays.length > 0
        ? `if it is a ${joined(
            days.map(({ weekday }) => dayNames[weekday] ?? ''),
            'or',
          )}`
        : `on ${daysText(days)}`,
    );
  }
  if (yearDays.length > 0) words.push(`on the ${joined(yearDays.map(place))} day of the year`);
  if (weekNumbers.length > 0) words.push(`in the ${joined(weekNumbers.map(place))} week of the year`);
  return [...words, ...inMonths].join(' ');
}

function timesText(rule: Rule, startWall: number): string {
  const { frequency, hours, minutes, seconds } = rule;
  if (frequency !== 'HOURLY') {
    const times = timesOfDay(rule, startWall);
    if (times.length > maxTimes) return `${times.length} times a day`;
    return `at ${joined(Array.from({ length: times.length }, (_, index) => timeText(times.at(index))))}`;
  }
  const startMinute = Math.floor(startWall / 60_000) % 60;
  const past = (minutes.length > 0 ? minutes : [startMinute]).map(two);
  const second = seconds.length > 0 ? `:${joined(seconds.map(two))}` : '';
  const within = hours.length > 0 ? ` of ${joined(hours.map((hour) => `${two(hour)}:00`))}` : '';
  return `at minute ${joined(past)}${second}${within}`;
}

/** A recurrence in words: “Every weekday at 09:00 (Europe/Berlin)”. */
export function describe(recurrence: Recurrence): string {
  const { rule, start, timezone } = recurrence;
  const startWall = wallClockAt(start, timezone);
  const { count, until, positions } = rule;
  const words = [rhythm(rule, startWall), timesText(rule, startWall)];
  if (positions.length > 0 && shortened(rule, startWall) === null)
    words.push(`but only the ${joined(positions.map(place))} of them`);
  if (count !== null) words.push(count === 1 ? ', once' : `, ${count} times`);
  if (until !== null) {
    const wall = 'wall' in until ? until.wall : wallClockAt(until.instant, timezone);
    words.push(`, until ${dateText(wall)}`);
  }
  const text = words.join(' ').replaceAll(' ,', ',');
  return `${text[0]?.toUpperCase()}${text.slice(1)} (${timezone})`;
}

/** One time in words: “Once, on 1 March 2026 at 09:00 (Europe/Berlin)”. */
export function describeOnce(at: number, timezone: string): string {
  const wall = wallClockAt(at, timezone);
  return `Once, on ${dateText(wall)} at ${timeText(wall % dayMs)} (${timezone})`;
}
