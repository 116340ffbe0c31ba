import { civilOf, dayMs } from '../recurrence/calendar.ts';
import { untilText, weekdays } from '../recurrence/rule.ts';
import { instantOf, wallClockAt } from '../recurrence/wall-clock.ts';
import type { ScheduleRequest } from './shapes.ts';

const frequencies = {
  hour: 'HOURLY',
  day: 'DAILY',
  weekday: 'WEEKLY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  year: 'YEARLY',
};

/** BYMONTHDAY of a day of the month; shorter months use their last day (CONTRACT §10.12). */
function monthDay(day: number): string[] {
  if (day <= 28) return [`BYMONTHDAY=${day}`];
  const days = Array.from({ length: day - 27 }, (_, index) => 28 + index);
  return [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'];
}

/** The rule of a request with `every`; omitted fields come from the wall clock of the zone at `now` (ms since 1970). */
export function ruleOf(request: ScheduleRequest, timezone: string, now: number): string {
  const { every, interval = 1, on, dayOfMonth, at, until, count } = request;
  if (every === undefined) throw new Error('ruleOf needs a request with every');
  const wall = wallClockAt(now, timezone);
  const today = civilOf(Math.floor(wall / dayMs));
  const parts = [`FREQ=${frequencies[every]}`];
  if (interval > 1) parts.push(`INTERVAL=${interval}`);
  if (every === 'year') parts.push(`BYMONTH=${today.month}`, ...monthDay(today.date));
  if (every === 'month') parts.push(...monthDay(dayOfMonth ?? today.date));
  if (every === 'weekday') parts.push('BYDAY=MO,TU,WE,TH,FR');
  if (on) parts.push(`BYDAY=${weekdays.filter((name) => on.some((day) => name === day.slice(0, 2).toUpperCase()))}`);
  if (every !== 'hour') {
    const [hour, minute] = (at ?? new Date(wall).toISOString().slice(11, 16)).split(':').map(Number);
    parts.push(`BYHOUR=${hour}`, `BYMINUTE=${minute}`);
  }
  if (count !== undefined) parts.push(`COUNT=${count}`);
  if (until !== undefined) {
    const lastSecond = Date.parse(`${until}T23:59:59Z`);
    parts.push(`UNTIL=${untilText(instantOf(lastSecond, timezone))}`);
  }
  return parts.join(';');
}
