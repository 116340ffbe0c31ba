import type { TandemInputs } from 'tandem/client';

/* Repetitions in words: `every other friday at 9am`. */

/** A schedule as the service takes it. */
export type Schedule = NonNullable<TandemInputs['todos']['create']['schedule']>;

/** A repetition, and where it is in the text. */
export interface FoundEvery {
  start: number;
  end: number;
  schedule: Schedule;
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Weekday = (typeof weekdays)[number];

const dayName =
  '(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?';
const dayNames = `${dayName}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+|\\s*&\\s*|\\s*/\\s*)${dayName})*`;
const ordinal = '(?:\\d{1,2}(?:st|nd|rd|th))';
const time = '(?:noon|midnight|\\d{1,2}:\\d{2}(?:\\s*[ap]m)?|\\d{1,2}\\s*[ap]m)';
const unit = 'hours?|days?|weekdays?|work(?:ing\\s+)?days?|business\\s+days?|weeks?|weekends?|months?|quarters?|years?';
const partOfDay = 'morning|noon|evening';
const places = { first: 1, '1st': 1, second: 2, '2nd': 2, third: 3, '3rd': 3, fourth: 4, '4th': 4, last: -1 };
const place = Object.keys(places).join('|');

const head = [
  `(?:every|each)\\s+(?<place>${place})\\s+(?<placed>${dayName})\\s+of\\s+(?:the|each|every)\\s+month`,
  '(?:every|each)\\s+last\\s+(?<last>day)(?:\\s+of\\s+(?:the|each|every)\\s+month)?',
  `(?:every|each)\\s+(?<date>${ordinal})(?:\\s+of\\s+(?:the|each|every)\\s+month)?(?!\\s+(?:${unit}|${dayName})\\b)`,
  `(?:every|each)\\s+(?:(?<count>other|second|third|fourth|\\d{1,3}(?:st|nd|rd|th)?)\\s+)?(?:(?<unit>${unit})|(?<part>${partOfDay})|(?<days>${dayNames}))`,
  // `the weekly report` is no repetition: nothing but its details may follow.
  '(?<adverb>hourly|daily|weekly|monthly|quarterly|yearly|annually)(?=\\s*(?:$|[\\u0001,.;]|(?:at|on|until|for)\\b|\\d))',
].join('|');
const onDays = `(?:\\s+on\\s+(?<on>${dayNames}))?`;
const onDate = `(?:\\s+on\\s+(?:the\\s+)?(?:(?<onDate>${ordinal}|day\\s+\\d{1,2})|(?<onLast>last\\s+day)))?`;
const atTime = `(?:\\s+(?:at\\s+)?(?<at>${time})|\\s+at\\s+(?<hour>\\d{1,2}))?`;
const times = '(?:,?\\s+(?:for\\s+)?(?<times>\\d{1,4})\\s+times)?';
const pattern = new RegExp(`(?<![\\w@#])(?:${head})(?!\\w)${onDays}${onDate}${atTime}${times}(?!\\w)`, 'iu');

const adverbs: Record<string, Schedule> = {
  hourly: { every: 'hour' },
  daily: { every: 'day' },
  weekly: { every: 'week' },
  monthly: { every: 'month' },
  quarterly: { every: 'month', interval: 3 },
  yearly: { every: 'year' },
  annually: { every: 'year' },
};
const hours: Record<string, string> = { morning: '09:00', noon: '12:00', midnight: '00:00', evening: '18:00' };
const intervals: Record<string, number> = { other: 2, second: 2, third: 3, fourth: 4 };

function daysIn(text: string): Weekday[] {
  const named = text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  return weekdays.filter((day) => named.some((name) => name.startsWith(day)));
}

/** `9`, `9am`, `17:30`, `noon` as `HH:MM`; undefined where there is no such time. */
function timeIn(text: string): string | undefined {
  const named = hours[text.toLowerCase()];
  if (named) return named;
  const [, hourText = '', minute = '00', half] = /^(\d{1,2})(?::(\d{2}))?\s*([ap]m)?$/i.exec(text) ?? [];
  const hour = half ? (Number(hourText) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hourText);
  if (hourText === '' || hour > 23 || Number(minute) > 59 || (half && Number(hourText) > 12)) return undefined;
  return `${String(hour).padStart(2, '0')}:${minute}`;
}

function unitOf(text: string): Schedule {
  const word = text.toLowerCase();
  if (/^(?:weekday|work|business)/.test(word)) return { every: 'weekday' };
  if (word.startsWith('weekend')) return { every: 'week', on: ['sat', 'sun'] };
  if (word.startsWith('quarter')) return { every: 'month', interval: 3 };
  return { every: word.replace(/s$/, '') as 'hour' | 'day' | 'week' | 'month' | 'year' };
}

type Groups = Record<string, string | undefined>;

/** The schedule without its time. */
function baseOf({ place, placed, last, date, unit, part, days, adverb }: Groups): Schedule {
  if (place && placed) {
    const nth = places[place.toLowerCase() as keyof typeof places];
    return { rrule: `FREQ=MONTHLY;BYDAY=${nth}${placed.slice(0, 2).toUpperCase()}` };
  }
  if (last) return { every: 'month', dayOfMonth: -1 };
  if (date) return { every: 'month', dayOfMonth: Number.parseInt(date, 10) };
  if (days) return { every: 'week', on: daysIn(days) };
  if (part) return { every: 'day', at: hours[part.toLowerCase()] };
  return adverb ? { ...adverbs[adverb.toLowerCase()] } : unitOf(unit ?? '');
}

/** The schedule with a time of day; that of a rule is part of the rule. Repetitions by the hour have none. */
function withTime(schedule: Schedule, at: string): Schedule {
  if (schedule.every === 'hour') return schedule;
  if (schedule.rrule === undefined) return { ...schedule, at };
  const [hour, minute] = at.split(':').map(Number);
  return { ...schedule, rrule: `${schedule.rrule};BYHOUR=${hour};BYMINUTE=${minute}` };
}

/** The schedule with a time that is named beside it, unless it has one. */
export function withTimeBeside(schedule: Schedule, at: string | null): Schedule {
  const isTimed = schedule.at !== undefined || schedule.rrule?.includes('BYHOUR');
  return at === null || isTimed ? schedule : withTime(schedule, at);
}

/** The schedule with its last day; that of a rule is part of the rule. */
export function withEnd(schedule: Schedule, until: string): Schedule {
  const { rrule } = schedule;
  return rrule === undefined
    ? { ...schedule, until }
    : { ...schedule, rrule: `${rrule};UNTIL=${until.replaceAll('-', '')}` };
}

function scheduleOf(groups: Groups): Schedule | null {
  const { count, on, onDate, onLast, at, hour, times } = groups;
  let schedule = baseOf(groups);
  const interval = count === undefined ? 1 : (intervals[count.toLowerCase()] ?? Number.parseInt(count, 10));
  if (interval < 1 || (interval > 1 && (schedule.every === 'weekday' || schedule.interval || groups.part))) return null;
  if (interval > 1) schedule = { ...schedule, interval };
  if (on !== undefined) {
    if (schedule.every !== 'week') return null;
    schedule = { ...schedule, on: daysIn(on) };
  }
  if (onDate !== undefined || onLast !== undefined) {
    if (schedule.every !== 'month') return null;
    schedule = { ...schedule, dayOfMonth: onLast ? -1 : Number(/\d+/.exec(onDate ?? '')?.[0]) };
  }
  if ((schedule.dayOfMonth ?? 1) > 31 || schedule.dayOfMonth === 0) return null;
  const timeText = at ?? hour;
  const found = timeText === undefined ? undefined : timeIn(timeText);
  if (timeText !== undefined && found === undefined) return null;
  if (found !== undefined) schedule = withTime(schedule, found);
  if (times === undefined) return schedule;
  return schedule.rrule === undefined
    ? { ...schedule, count: Number(times) }
    : { ...schedule, rrule: `${schedule.rrule};COUNT=${times}` };
}

/** The first repetition in a text; null where there is none that the service could plan. */
export function findEvery(text: string): FoundEvery | null {
  const match = pattern.exec(text);
  const schedule = match?.groups ? scheduleOf(match.groups) : null;
  return match && schedule ? { start: match.index, end: match.index + match[0].length, schedule } : null;
}
