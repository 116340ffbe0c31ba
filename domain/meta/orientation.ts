import type { Context } from '../context.ts';
import { civilOf, dayMs, weekdayOf } from '../recurrence/calendar.ts';
import { wallClockAt } from '../recurrence/wall-clock.ts';

/** Where, for whom and on which day an assistant works. */
export interface Orientation {
  workspaceName: string;
  userName: string;
  /** IANA time zone of the workspace; `date` (YYYY-MM-DD), `weekday` and `offset` (+hh:mm) are now, in this zone. */
  timezone: string;
  date: string;
  weekday: string;
  offset: string;
  /** Milliseconds until the next day begins there. */
  msLeft: number;
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const names = `select w.name as "workspaceName", w.timezone, u.name as "userName"
  from workspaces w, users u where w.id = $1 and u.id = $2`;

type Names = Pick<Orientation, 'workspaceName' | 'timezone' | 'userName'>;

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** The offset from UTC as RFC 3339 writes it. */
function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`;
}

/** The workspace and the person of a credential, and what day it is there. */
export async function orientationOf(ctx: Pick<Context, 'db' | 'principal' | 'clock'>): Promise<Orientation> {
  const { workspaceId, userId } = ctx.principal;
  const [row] = await ctx.db.rows<Names>(names, [workspaceId, userId]);
  if (!row) throw new Error('the credential has no workspace');
  const now = ctx.clock().getTime();
  const wall = wallClockAt(now, row.timezone);
  const day = Math.floor(wall / dayMs);
  const { year, month, date } = civilOf(day);
  return {
    ...row,
    date: `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`,
    weekday: weekdays[weekdayOf(day)] ?? '',
    offset: offsetText(Math.round((wall - now) / 60_000)),
    msLeft: (day + 1) * dayMs - wall,
  };
}
