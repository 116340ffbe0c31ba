import { wallTimeAt } from '../quick-add/zoned.ts';
import type { Agent } from './merge.ts';

/* Working hours: the same hours on some days of the week, in a time zone. Times are `HH:MM`; 24:00 ends the day. */

export type Hours = NonNullable<Agent['workingHours']>;
export type Weekday = Hours['days'][number];

/** The days of the week, from Monday on. */
export const weekdays: readonly { id: Weekday; name: string; short: string }[] = [
  { id: 'mon', name: 'Monday', short: 'Mon' },
  { id: 'tue', name: 'Tuesday', short: 'Tue' },
  { id: 'wed', name: 'Wednesday', short: 'Wed' },
  { id: 'thu', name: 'Thursday', short: 'Thu' },
  { id: 'fri', name: 'Friday', short: 'Fri' },
  { id: 'sat', name: 'Saturday', short: 'Sat' },
  { id: 'sun', name: 'Sunday', short: 'Sun' },
];

const dayMs = 86_400_000;
const hourMinutes = 60;
/** Days in a row from which on they are a range in words. */
const minRange = 3;

/** The hours that an agent begins with. */
export function standardHours(timezone: string): Hours {
  return { timezone, days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' };
}

/** Minutes since midnight of a time. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * hourMinutes + minutes;
}

/** The time of a full hour, 0 to 24. */
export function timeOfHour(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** How much of an hour of a day is within the hours. */
export function shareOf({ days, start, end }: Hours, day: Weekday, hour: number): 'all' | 'some' | 'none' {
  if (!days.includes(day)) return 'none';
  const [from, to] = [hour * hourMinutes, (hour + 1) * hourMinutes];
  const [opens, closes] = [minutesOf(start), minutesOf(end)];
  if (opens <= from && closes >= to) return 'all';
  return opens < to && closes > from ? 'some' : 'none';
}

/** The hours with a day more or less, in the order of the week. */
export function withDay(hours: Hours, day: Weekday, isOn = !hours.days.includes(day)): Hours {
  const has = (id: Weekday) => (id === day ? isOn : hours.days.includes(id));
  return { ...hours, days: weekdays.map(({ id }) => id).filter(has) };
}

/** The hours from the earlier to the end of the later of two hours of the day. */
export function withRange(hours: Hours, one: number, other: number): Hours {
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  return { ...hours, start: timeOfHour(first), end: timeOfHour(last + 1) };
}

/** Why hours cannot be saved; null when they can. */
export function faultOf({ days, start, end }: Hours): string | null {
  if (days.length === 0) return 'Choose at least one day.';
  if (start === '' || end === '') return 'Enter when work begins and when it ends.';
  if (minutesOf(start) < minutesOf(end)) return null;
  return 'The end must be later than the start, on the same day. Use 24:00 to work until midnight.';
}

/** Days in words: “Monday to Friday”, “Monday, Wednesday”, “Every day”. */
function daysInWords(days: readonly Weekday[]): string {
  const places = weekdays.flatMap(({ id }, place) => (days.includes(id) ? [place] : []));
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const names = places.map((place) => weekdays[place]?.name ?? '');
  if (places.length === weekdays.length) return 'Every day';
  const isRange = places.length >= minRange && last - first === places.length - 1;
  return isRange ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
}

/** Hours in words: “Monday to Friday, 09:00–17:00 (Europe/Berlin)”. */
export function hoursInWords({ days, start, end, timezone }: Hours): string {
  return `${daysInWords(days)}, ${start}–${end} (${timezone.replaceAll('_', ' ')})`;
}

/** Whether an instant, in milliseconds since 1970, is within the hours. */
export function isOpenAt({ timezone, days, start, end }: Hours, instant: number): boolean {
  const { year, month, day, hour, minute } = wallTimeAt(instant, timezone);
  // Day 0 of 1970 was a Thursday.
  const place = (Date.UTC(year, month - 1, day) / dayMs + 3) % weekdays.length;
  const today = weekdays[place];
  const now = hour * hourMinutes + minute;
  return today !== undefined && days.includes(today.id) && minutesOf(start) <= now && now < minutesOf(end);
}
