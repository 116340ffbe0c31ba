import { timesAfter } from '../schedules/plan.ts';
import type { Schedule } from '../schedules/rows.ts';

/** A time missed while nothing ran still fires when it is less late than this. */
const catchUpMs = 60 * 60_000;
/** Times that are recorded at each end of a longer outage. */
const maxMissed = 500;

/** Due planned times, as RFC 3339 instants. */
export interface DueTimes {
  missed: string[];
  /** The time that fires now; null when all are too late. */
  fires: string | null;
}

/**
 * The planned times since `nextRunAt` up to `now` (milliseconds since 1970) that have no occurrence: the latest one
 * fires unless it is too late, the earlier ones are missed. `nextRunAt` itself has one when it fired while the schedule
 * was set again. After a very long outage only the first and the last of them are returned.
 */
export function dueTimes(schedule: Schedule, now: number): DueTimes {
  const { nextRunAt } = schedule;
  const settled = new Set(schedule.settled);
  if (nextRunAt === null) return { missed: [], fires: null };
  const dueAfter = (after: number) => timesAfter(schedule, after, maxMissed).filter((time) => Date.parse(time) <= now);
  const all = [nextRunAt, ...dueAfter(Date.parse(nextRunAt))];
  if (all.length > maxMissed) all.push(...dueAfter(Math.max(Date.parse(all.at(-1) ?? ''), now - catchUpMs)));
  const times = all.filter((time) => !settled.has(time));
  const latest = times.at(-1);
  if (latest === undefined || now - Date.parse(latest) >= catchUpMs) return { missed: times, fires: null };
  return { missed: times.slice(0, -1), fires: latest };
}
