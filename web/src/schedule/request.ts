import type { Schedule } from '../quick-add/every.ts';
import { dayFrom, instantOf, timeOf, wallTimeAt } from '../quick-add/zoned.ts';
import type { Todo } from '../todo-common/queries.ts';

/*
 * What the editor of a schedule has in its fields, as a request of the service, and a stored schedule as those fields.
 */

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Weekday = (typeof weekdays)[number];

/** The fields of the editor, as text. Those of the other two forms are kept while one is shown. */
export interface ScheduleValues {
  form: 'every' | 'rrule' | 'once';
  unit: NonNullable<Schedule['every']>;
  interval: string;
  on: readonly Weekday[];
  /** 1 to 31, or -1 for the last day. */
  dayOfMonth: string;
  /** `HH:MM`. */
  at: string;
  ends: 'never' | 'until' | 'count';
  /** `YYYY-MM-DD`. */
  until: string;
  count: string;
  rrule: string;
  /** A wall time of the zone, `YYYY-MM-DDTHH:MM`; empty for the present. */
  startAt: string;
  /** A wall time of the zone. */
  runAt: string;
  timezone: string;
}

/** The fields of a todo that its schedule has. */
export type StoredSchedule = Pick<Todo, 'scheduleType' | 'rrule' | 'timezone' | 'nextRunAt' | 'scheduleStatus'>;

/** The fields of a todo that its schedule has. */
export function storedOf(todo: StoredSchedule): StoredSchedule {
  const { scheduleType, rrule, timezone, nextRunAt, scheduleStatus } = todo;
  return { scheduleType, rrule, timezone, nextRunAt, scheduleStatus };
}

const wallTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/;

/** The instant of a wall time `YYYY-MM-DDTHH:MM` in a zone, RFC 3339; null where it is none. */
export function instantIn(text: string, timeZone: string): string | null {
  const [year, month, day, hour, minute] = (wallTime.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined)
    return null;
  return new Date(instantOf({ year, month, day, hour, minute }, timeZone)).toISOString();
}

/** An instant as the clocks of a zone show it, `YYYY-MM-DDTHH:MM`. */
export function wallIn(instant: string, timeZone: string): string {
  const wall = wallTimeAt(Date.parse(instant), timeZone);
  return `${dayFrom(wall, 0)}T${timeOf(wall)}`;
}

function everyRequest(values: ScheduleValues): Schedule | null {
  const { unit, interval, on, dayOfMonth, at, ends, until, count, timezone } = values;
  if ((ends === 'until' && until === '') || (ends === 'count' && count === '')) return null;
  const hasDays = (unit === 'week' || unit === 'hour') && on.length > 0;
  return {
    every: unit,
    timezone,
    ...(unit !== 'weekday' && interval !== '' && { interval: Number(interval) }),
    ...(hasDays && { on: weekdays.filter((day) => on.includes(day)) }),
    ...(unit === 'month' && { dayOfMonth: Number(dayOfMonth) }),
    ...(unit !== 'hour' && at !== '' && { at }),
    ...(ends === 'until' && { until }),
    ...(ends === 'count' && { count: Number(count) }),
  };
}

/** The request that the fields make; null while one that is needed is empty. */
export function requestOf(values: ScheduleValues): Schedule | null {
  const { form, rrule, startAt, runAt, timezone } = values;
  if (form === 'every') return everyRequest(values);
  if (form === 'once') {
    const instant = instantIn(runAt, timezone);
    return instant === null ? null : { runAt: instant, timezone };
  }
  const start = instantIn(startAt, timezone);
  return rrule === '' ? null : { rrule, timezone, ...(start !== null && { startAt: start }) };
}

const fixedDay = /BYDAY=|BYMONTHDAY=|FREQ=DAILY/;

/**
 * A request with the rule of a stored schedule, for its description. The service does not return when a schedule began:
 * where the rule takes its day or time from that, the next time stands for it, and null is returned without one.
 */
export function storedRequest({ rrule, timezone, nextRunAt }: StoredSchedule): Schedule | null {
  if (rrule === null || timezone === null) return null;
  if (nextRunAt !== null) return { rrule, timezone, startAt: nextRunAt };
  return fixedDay.test(rrule) && rrule.includes('BYHOUR=') ? { rrule, timezone } : null;
}
