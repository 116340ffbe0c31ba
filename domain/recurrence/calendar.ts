export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
/** The last instant that can be written: years have four digits (RFC 3339, section 5.6). */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** A day of the proleptic Gregorian calendar; `day` counts from 1970-01-01. `month` and `date` start at 1. */
export interface Civil {
  day: number;
  year: number;
  month: number;
  date: number;
}

/** The number of a day from 1970-01-01 on. A month beyond 12 is one of the next year. */
export function dayNumber(year: number, month: number, date: number): number {
  return Date.UTC(year, month - 1, date) / dayMs;
}

/** The calendar date of a day (H. Hinnant, “chrono-compatible low-level date algorithms”). */
export function civilOf(day: number): Civil {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { day, year, month, date: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1 };
}

/** 0 is Monday, 6 Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** 365 or 366. */
export function daysInYear(year: number): number {
  return isLeap(year) ? 366 : 365;
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** 28 to 31; `month` starts at 1. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (lengths[month - 1] ?? 31);
}

/** The first day of the week of `day`, for weeks that begin on `weekStart`. */
export function weekBegin(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}

/** The first day of week 1 of a year: the week that has at least four of its days (RFC 5545 §3.3.10, ISO 8601). */
function firstWeek(year: number, weekStart: number): number {
  return weekBegin(dayNumber(year, 1, 4), weekStart);
}

/** The number of the week of a day, and how many weeks the year of that week has. */
export function weekNumber(day: number, weekStart: number): { week: number; weeks: number } {
  const { year } = civilOf(weekBegin(day, weekStart) + 3);
  const first = firstWeek(year, weekStart);
  return {
    week: Math.floor((day - first) / 7) + 1,
    weeks: Math.round((firstWeek(year + 1, weekStart) - first) / 7),
  };
}
