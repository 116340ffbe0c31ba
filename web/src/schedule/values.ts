import { dayFrom, wallTimeAt } from '../quick-add/zoned.ts';
import { instantIn, type ScheduleValues, type StoredSchedule, wallIn, weekdays } from './request.ts';

/* The fields that the editor begins with. */

/** The fields of a new schedule. */
function newValues(timezone: string): ScheduleValues {
  return {
    form: 'every',
    unit: 'week',
    interval: '1',
    on: [],
    dayOfMonth: '1',
    at: '09:00',
    ends: 'never',
    until: '',
    count: '10',
    rrule: '',
    startAt: '',
    runAt: '',
    timezone,
  };
}

type Parts = ReadonlyMap<string, string>;
type EveryValues = Pick<ScheduleValues, 'unit' | 'interval'> & Partial<ScheduleValues>;

const allowed: Record<string, readonly string[]> = {
  HOURLY: ['BYDAY'],
  DAILY: ['BYHOUR', 'BYMINUTE'],
  WEEKLY: ['BYDAY', 'BYHOUR', 'BYMINUTE'],
  MONTHLY: ['BYMONTHDAY', 'BYSETPOS', 'BYHOUR', 'BYMINUTE'],
};
const always = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL'];

/** The days of a rule without places in the month; null where it has such. */
function daysOf(text: string): ScheduleValues['on'] | null {
  const named = text.split(',').map((name) => weekdays.find((day) => day.slice(0, 2).toUpperCase() === name));
  return named.includes(undefined) ? null : weekdays.filter((day) => named.includes(day));
}

/** The day of the month of a rule, which ends shorter months with their last day (CONTRACT §10.12); null for others. */
function dayOfMonthOf(parts: Parts): string | null {
  const days = (parts.get('BYMONTHDAY') ?? '').split(',');
  const [first = ''] = days;
  if (days.length === 1 && !parts.has('BYSETPOS') && /^(-1|[1-9]|1\d|2[0-8])$/.test(first)) return first;
  const isShortened = parts.get('BYSETPOS') === '-1' && days.every((day, place) => day === String(28 + place));
  return isShortened && days.length > 1 ? String(27 + days.length) : null;
}

function endOf(parts: Parts, timezone: string): Partial<ScheduleValues> | null {
  const count = parts.get('COUNT');
  // How many are left is not known, and they would be counted from now.
  if (count !== undefined) return { ends: 'count', count: '' };
  const until = parts.get('UNTIL');
  if (until === undefined) return {};
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(until) ?? [];
  if (year === undefined) return null;
  const last = wallIn(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`, timezone);
  return { ends: 'until', until: last.slice(0, 10) };
}

function timeIn(parts: Parts): string | null {
  const [hour = '', minute = ''] = [parts.get('BYHOUR'), parts.get('BYMINUTE')];
  const isOne = /^\d\d?$/.test(hour) && /^\d\d?$/.test(minute);
  return isOne ? `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` : null;
}

/** The weekday of a day, `YYYY-MM-DD`. */
function weekdayOf(day: string): ScheduleValues['on'][number] | undefined {
  return weekdays[(new Date(day).getUTCDay() + 6) % 7];
}

function unitOf(parts: Parts, timezone: string, nextRunAt: string | null): EveryValues | null {
  const interval = parts.get('INTERVAL') ?? '1';
  const frequency = parts.get('FREQ');
  const named = parts.get('BYDAY');
  if (frequency === 'DAILY') return { unit: 'day', interval };
  if (frequency === 'MONTHLY') {
    const dayOfMonth = dayOfMonthOf(parts);
    return dayOfMonth === null ? null : { unit: 'month', interval, dayOfMonth };
  }
  const on = named === undefined ? [] : daysOf(named);
  if (on === null) return null;
  if (frequency === 'HOURLY') return { unit: 'hour', interval, on };
  if (named === 'MO,TU,WE,TH,FR' && interval === '1') return { unit: 'weekday', interval };
  if (named !== undefined) return { unit: 'week', interval, on };
  // The day is that on which the schedule began, and so that of its next time.
  if (nextRunAt === null) return null;
  const next = weekdayOf(wallIn(nextRunAt, timezone).slice(0, 10));
  return next ? { unit: 'week', interval, on: [next] } : null;
}

/** The fields of “Every…” for a rule; null for a rule that this form cannot express. */
function everyOf(rrule: string, timezone: string, nextRunAt: string | null): EveryValues | null {
  const parts: Parts = new Map(rrule.split(';').map((part) => part.split('=') as [string, string]));
  const names = allowed[parts.get('FREQ') ?? ''];
  if (!names || [...parts.keys()].some((name) => !names.includes(name) && !always.includes(name))) return null;
  const unit = unitOf(parts, timezone, nextRunAt);
  const end = endOf(parts, timezone);
  if (unit === null || end === null) return null;
  if (unit.unit === 'hour') return { ...unit, ...end };
  const at = timeIn(parts);
  return at === null ? null : { ...unit, ...end, at };
}

/** Days among which there is one of each month. */
const mostDays = 62;

/**
 * Whether “Every…”, whose request has no start, has the same next time: not where the schedule begins later, or one is
 * skipped.
 */
function isNext(
  { unit, on, dayOfMonth, at }: ScheduleValues,
  nextRunAt: string,
  timezone: string,
  now: number,
): boolean {
  if (unit === 'hour') return false;
  const today = wallTimeAt(now, timezone);
  const isDay = (day: string, after: string) => {
    if (unit === 'weekday') return !['sat', 'sun'].includes(weekdayOf(day) ?? '');
    if (unit === 'week') return on.some((each) => each === weekdayOf(day));
    const date = Number(day.slice(8));
    const isLast = after.endsWith('-01') && (dayOfMonth === '-1' || Number(dayOfMonth) > date);
    return unit === 'day' || isLast || Number(dayOfMonth) === date;
  };
  for (let days = 0; days <= mostDays; days++) {
    const day = dayFrom(today, days);
    const time = Date.parse(instantIn(`${day}T${at}`, timezone) ?? '');
    if (time > now && isDay(day, dayFrom(today, days + 1))) return time >= Date.parse(nextRunAt);
  }
  return false;
}

/** The fields of the editor for a stored schedule, or for a new one in the zone of the workspace. */
export function valuesOf(stored: StoredSchedule, timezoneOfWorkspace: string, now = Date.now()): ScheduleValues {
  const { scheduleType, rrule, nextRunAt } = stored;
  const timezone = stored.timezone ?? timezoneOfWorkspace;
  const values = newValues(timezone);
  if (scheduleType === null) return values;
  const next = nextRunAt === null ? '' : wallIn(nextRunAt, timezone);
  if (rrule === null) return { ...values, form: 'once', runAt: next };
  const every = everyOf(rrule, timezone, nextRunAt);
  const shown = { ...values, ...every, rrule, startAt: next };
  // The request of “Every…” has no start: every second week, and the minute of each hour, would be counted from now.
  const isKept = nextRunAt === null || (every?.interval === '1' && isNext(shown, nextRunAt, timezone, now));
  return { ...shown, form: every && isKept ? 'every' : 'rrule' };
}
