import { casual, type ParsedResult } from 'chrono-node/en';
import { asUtc, dayFrom, timeOf, type WallTime, wallTimeAt } from './zoned.ts';

/*
 * Days and times in English text, read by chrono. It is large, so this file is loaded when a person begins to type.
 * Chrono calculates in the zone of the browser; only its wall times are used, which are those of `timeZone`.
 */

/** A day, a time of day or both, and where they are in the text. */
export interface FoundDate {
  start: number;
  end: number;
  /** `YYYY-MM-DD`; null where only a time is named. */
  day: string | null;
  /** `HH:MM`; null where only a day is named. */
  time: string | null;
  /** The instant in milliseconds where the text says it by itself: `in 3 hours`, `9am EST`. */
  instant?: number;
}

/** Finds the days and times in a text, in its order. `now` is an instant in milliseconds. */
export type FindDates = (text: string, now: number, timeZone: string) => FoundDate[];

const inHours =
  /(?<![\w.])in\s+(?:(an?|\d{1,3}(?:\.\d)?|half an)\s+(hours?|hrs?|h|minutes?|mins?)|(\d{1,3})(h|min))(?!\w)|(?<![\w.])(an?|\d{1,3})\s+(hours?|minutes?)\s+from\s+now\b/giu;

/**
 * Words that are rarely meant as a date when they stand alone, fractions, and days that depend on the country: `3/4`.
 */
const unclear =
  /^(?:may|march|now|second|sat|sun|\d+\s+[ap]|(?:for|within|about)\b.*|[\d.]+\/[\d/.]+|\d+\.\d+(?:\.\d+)?)$/iu;
/** `spend 2 days on it`, `the plan of the week`. */
const span = /^(?:\d+|the)\s+\p{L}+$/iu;
/** `last friday`, which chrono takes for the next one; not `last day of the month`. */
const passed = /\b(?:last|past)\b(?!\s+day\b)/iu;

/**
 * Around what chrono reads by itself, the month of `last friday of december` or the day of `first friday in january`.
 */
const nthIn =
  /\b(?:first\s+(?!day)|(?:last|second|third|fourth)\s+)(?:[\p{L}\d]+\s+)?(?:\p{L}*days?|weeks?|weekend|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\s+(?:of|in)\s+$/iu;
const nth = /\b(?:first|second|third|fourth)\s+$/iu;
const ofMonth = /^\s+(?:of|in)\s/iu;

const dayAfterTomorrow = /(?<![\w@#])(?:the\s+)?day\s+after\s+tomorrow\b/giu;

function spanOf({ index, 0: text }: RegExpMatchArray) {
  return { start: index ?? 0, end: (index ?? 0) + text.length };
}

/** `in 3 hours`: so many minutes later, also where the clocks change in between. */
function hoursIn(text: string, now: number, timeZone: string): FoundDate[] {
  return [...text.matchAll(inHours)].map((match) => {
    const amount = (match[1] ?? match[3] ?? match[5] ?? '').toLowerCase();
    const unit = (match[2] ?? match[4] ?? match[6] ?? '').toLowerCase();
    const count = amount === 'half an' ? 0.5 : amount.startsWith('a') ? 1 : Number(amount);
    const instant = Math.floor(now / 60_000 + count * (unit.startsWith('h') ? 60 : 1)) * 60_000;
    const later = wallTimeAt(instant, timeZone);
    return { ...spanOf(match), instant, day: dayFrom(later, 0), time: timeOf(later) };
  });
}

function overmorrow(text: string, wallNow: WallTime): FoundDate[] {
  const date = dayFrom(wallNow, 2);
  return [...text.matchAll(dayAfterTomorrow)].map((match) => ({ ...spanOf(match), day: date, time: null }));
}

const dayParts = ['day', 'weekday', 'month'] as const;

type Components = ParsedResult['start'];

function wallOf(of: Components): WallTime {
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute') => of.get(name) ?? 0;
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') };
}

/** Of `at 5` the afternoon is meant, of `at 05:00` and `5am` the morning. */
function hourOf(of: Components, text: string): number {
  const { hour } = wallOf(of);
  if (of.isCertain('meridiem') || hour < 1 || hour > 5) return hour;
  // A day may have the same number: `jan 5 05:00`, `at 5 on jan 05`.
  const isBare = new RegExp(`(?<!\\d)${hour}(?!\\d)`, 'u').test(text);
  const isEarly = new RegExp(`(?<!\\d)0${hour}[:.]\\d\\d|\\bat\\s+0${hour}(?!\\d)`, 'iu').test(text);
  return isBare && !isEarly ? hour + 12 : hour;
}

/** Whether it is a part of the name of a day that chrono does not know. */
function isOfNth({ index, text, start }: ParsedResult, all: string): boolean {
  if (start.isCertain('day')) return false;
  const before = all.slice(0, index);
  if (start.isCertain('weekday')) return nth.test(before) && ofMonth.test(all.slice(index + text.length));
  return nthIn.test(before);
}

/** Whether a day or a time is meant that is not counted from now in hours (see `hoursIn`). */
function isMeant(result: ParsedResult, all: string): boolean {
  const { text } = result;
  const tags = result.tags();
  return (
    !isOfNth(result, all) &&
    !unclear.test(text) &&
    !passed.test(text) &&
    !tags.has('result/relativeDateAndTime') &&
    !(tags.has('result/relativeDate') && span.test(text))
  );
}

/** `friday 9am` on a friday at ten is the next one. */
function isPassed(start: Components, wall: WallTime, wallNow: WallTime): boolean {
  const isWeekdayAlone = start.isCertain('weekday') && !start.isCertain('day');
  return isWeekdayAlone && start.isCertain('hour') && asUtc(wall) <= asUtc(wallNow);
}

function readResult({ index, text, start }: ParsedResult, wallNow: WallTime, timeZone: string): FoundDate {
  const span = { start: index, end: index + text.length };
  const hasTime = start.isCertain('hour');
  const hasDay = dayParts.some((part) => start.isCertain(part));
  const offset = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null;
  if (hasTime && offset !== null) {
    const instant = asUtc(wallOf(start)) - offset * 60_000;
    const wall = wallTimeAt(instant, timeZone);
    return { ...span, day: hasDay ? dayFrom(wall, 0) : null, time: timeOf(wall), ...(hasDay && { instant }) };
  }
  const wall = { ...wallOf(start), hour: hourOf(start, text) };
  if (isPassed(start, wall, wallNow)) wall.day += 7;
  // A month later than the 31st: chrono goes on into the month after a shorter one.
  const isMonthsLater = start.tags().has('result/relativeDate') && start.isCertain('month') && !start.isCertain('day');
  if (isMonthsLater && wall.day !== wallNow.day) wall.day = 0;
  return { ...span, day: hasDay ? dayFrom(wall, 0) : null, time: hasTime ? timeOf(wall) : null };
}

/** The days and times of a text, those before today left out. */
export const findDates: FindDates = (text, now, timeZone) => {
  const wallNow = wallTimeAt(now, timeZone);
  const own = [...hoursIn(text, now, timeZone), ...overmorrow(text, wallNow)];
  let rest = text;
  for (const { start, end } of own) rest = rest.slice(0, start) + '\u0001'.repeat(end - start) + rest.slice(end);
  // The midnight before, so that a weekday is today at any time of it.
  const today = new Date(wallNow.year, wallNow.month - 1, wallNow.day);
  const results = casual
    .parse(rest, today, { forwardDate: true })
    .filter((result) => isMeant(result, rest))
    .map((result) => readResult(result, wallNow, timeZone));
  const first = dayFrom(wallNow, 0);
  return [...own, ...results]
    .filter((each) => each.day === null || each.day >= first)
    .sort((a, b) => a.start - b.start);
};
