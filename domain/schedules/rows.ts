import { and, eq } from 'drizzle-orm';
import { type Db, instantFromPostgres } from '../../db/client.ts';
import { todoSchedules } from '../../db/schema/schedules.ts';
import type { NewEvent } from '../events/record.ts';
import { type Plan, upcomingRuns } from './plan.ts';
import type { ScheduleFacts } from './shapes.ts';

type ScheduleTable = typeof todoSchedules.$inferSelect;

/** The used fields of the latest run of a todo. */
type LatestRun = { startedAt: string; trigger: string; statusReason: string | null } | null;

/** The used fields of a cell of `scheduleColumn`; its instants are PostgreSQL's. */
export interface ScheduleCell extends Pick<ScheduleTable, 'rrule' | 'kind' | 'timezone' | 'status'> {
  starts_at: string;
  next_run_at: string | null;
  last_fired_at: string | null;
  error_code: ScheduleTable['errorCode'];
  error_message: ScheduleTable['errorMessage'];
  error_at: string | null;
  consecutive_failures: ScheduleTable['consecutiveFailures'];
  last_notification_status: ScheduleTable['lastNotificationStatus'];
  last_notification_sent_at: string | null;
}

/**
 * The schedule of a relation `t` shaped like `todos`, from `scheduled`: its whole row as one JSON value, which is
 * cheaper to plan than selected columns for a page where no todo has a schedule. `is_scheduled` saves the lookup for
 * todos without one.
 */
export function scheduleColumn(scheduled: string): string {
  return `case when t.is_scheduled then (select row_to_json(s)
    from ${scheduled} s where s.workspace_id = $1 and s.todo_id = t.id) end as schedule`;
}

function instant(cell: string | null): string | null {
  return cell && instantFromPostgres(cell);
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function errorOf(cell: ScheduleCell): ScheduleFacts['scheduleError'] {
  if (cell.error_code === null) return null;
  return {
    object: 'schedule_error',
    code: cell.error_code,
    message: cell.error_message ?? '',
    occurredAt: instant(cell.error_at) ?? '',
    consecutiveFailures: cell.consecutive_failures,
    willRetry: cell.next_run_at !== null,
  };
}

const unscheduled: Omit<ScheduleFacts, 'lastRunAt'> = {
  scheduleError: null,
  rrule: null,
  timezone: null,
  nextRunAt: null,
  upcomingRuns: [],
  scheduleType: null,
  scheduleStatus: null,
  lastNotificationStatus: null,
  lastNotificationSentAt: null,
};

/** Whether the run that the schedule started is queued until the working hours of its agent. */
function isQueued({ status }: ScheduleCell, run: LatestRun): boolean {
  return (
    (status === 'pending' || status === 'completed') && run?.trigger === 'schedule' && run.statusReason === 'queued'
  );
}

/** In SQL: `scheduleStatus` of the answer of a todo that has a schedule, from a relation `t` shaped like `todos`. */
export function currentStatus(t: string): string {
  return `(select case when s.status in ('pending', 'completed') and exists (
      select 1 from todo_runs r where r.workspace_id = $1 and r.id = ${t}.latest_run_id
        and r.trigger = 'schedule' and r.status_reason = 'queued') then 'queued' else s.status end
    from todo_schedules s where s.workspace_id = $1 and s.todo_id = ${t}.id)`;
}

/** The fields of a todo that come from its schedule. */
export function scheduleFacts(cell: ScheduleCell | null, latestRun: LatestRun): ScheduleFacts {
  const lastRunAt = latestRun?.startedAt ?? null;
  if (!cell) return { ...unscheduled, lastRunAt };
  const { kind, rrule, timezone } = cell;
  const [startsAt, nextRunAt] = [instantFromPostgres(cell.starts_at), instant(cell.next_run_at)];
  return {
    scheduleError: errorOf(cell),
    rrule,
    timezone,
    nextRunAt,
    upcomingRuns: upcomingRuns({ kind, rrule, timezone, startsAt }, nextRunAt),
    lastRunAt: later(lastRunAt, instant(cell.last_fired_at)),
    scheduleType: kind,
    scheduleStatus: isQueued(cell, latestRun) ? 'queued' : cell.status,
    lastNotificationStatus: cell.last_notification_status,
    lastNotificationSentAt: instant(cell.last_notification_sent_at),
  };
}

/** A schedule with the state of its todo. */
export interface Schedule
  extends Pick<
    ScheduleTable,
    | 'todoId'
    | 'kind'
    | 'rrule'
    | 'timezone'
    | 'startsAt'
    | 'status'
    | 'paused'
    | 'nextRunAt'
    | 'userId'
    | 'scopes'
    | 'consecutiveFailures'
  > {
  /** The todo is done or archived: nothing fires until it is reopened or restored. */
  isSuspended: boolean;
  /** The person who set it is still a member. */
  hasOwner: boolean;
  /** Planned times from `nextRunAt`, or from now on, that a person skipped or marked done ahead. */
  settled: string[];
}

interface ScheduleRow extends Omit<Schedule, 'settled'> {
  settled: string[] | null;
}

const withTodo = `select s.todo_id as "todoId", s.kind, s.rrule, s.timezone, s.starts_at as "startsAt", s.status, s.paused,
    s.next_run_at as "nextRunAt", s.user_id as "userId", s.scopes, s.consecutive_failures as "consecutiveFailures",
    t.status = 'done' or t.archived_at is not null as "isSuspended",
    exists (select from members m where m.workspace_id = $1 and m.user_id = s.user_id
      and m.removed_at is null) as "hasOwner",
    (select json_agg(o.planned_at) from todo_occurrences o where o.workspace_id = $1
      and o.todo_id = s.todo_id and o.planned_at >= least(s.next_run_at, $3::timestamptz)) as settled
  from todo_schedules s join todos t on t.workspace_id = s.workspace_id and t.id = s.todo_id
  where s.workspace_id = $1 and s.todo_id = any($2::uuid[])`;

const locked = `${withTodo} order by s.todo_id for update of s`;

/** The schedules of todos, locked. Lock the todos first: every change of a schedule locks its todo. */
export async function lockSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  now: Date,
): Promise<Schedule[]> {
  const rows = await tx.rows<ScheduleRow>(locked, [workspaceId, todoIds, now.toISOString()]);
  return rows.map((row) => ({ ...row, settled: (row.settled ?? []).map(instantFromPostgres) }));
}

/** The next time of a todo; null when there is none. */
export async function nextRunOf(db: Db, workspaceId: string, todoId: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ nextRunAt: todoSchedules.nextRunAt })
    .from(todoSchedules)
    .where(and(eq(todoSchedules.workspaceId, workspaceId), eq(todoSchedules.todoId, todoId)));
  return row?.nextRunAt ?? null;
}

/** The person on whose behalf the agents of a schedule work, and the scopes that they get. */
export interface ScheduleOwner {
  userId: string;
  scopes: readonly string[];
}

// Occurrences that were skipped or marked done ahead belong to the previous schedule. One that fired is never ahead, by
// the clock of the process that fired it.
const deleteAhead = `delete from todo_occurrences
  where workspace_id = $1 and todo_id = any($2::uuid[]) and planned_at > $3::timestamptz
    and fired_at is null and status in ('done', 'skipped')
  returning id, todo_id as "todoId"`;
// Uses the clock of the statement, as `startRun` does: the todo is locked, so the runs of the previous schedule started
// before this instant.
const set = `insert into todo_schedules
    (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, next_run_at, user_id, scopes, created_at)
  select $1, todo_id, $3, $4, $5, $6, 'pending', $7, $8, $9, statement_timestamp() from unnest($2::uuid[]) todo_id
  on conflict (workspace_id, todo_id) do update set kind = excluded.kind, rrule = excluded.rrule,
    timezone = excluded.timezone, starts_at = excluded.starts_at, status = excluded.status,
    next_run_at = excluded.next_run_at, user_id = excluded.user_id, scopes = excluded.scopes, consecutive_failures = 0,
    error_code = null, error_message = null, error_at = null, created_at = excluded.created_at,
    updated_at = greatest(now(), todo_schedules.updated_at)`;

/** Deletes the occurrences ahead of locked todos. Returns the events. */
async function deleteAheadOf(tx: Db, workspaceId: string, todoIds: readonly string[], now: Date): Promise<NewEvent[]> {
  const gone = await tx.rows<{ id: string; todoId: string }>(deleteAhead, [workspaceId, todoIds, now.toISOString()]);
  return gone.map(({ id, todoId }) => ({ type: 'todo_occurrence.deleted', objectId: id, parents: { todoId } }));
}

const mark = `update todos set is_scheduled = true, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = any($2::uuid[])`;

/**
 * Sets or replaces the schedule of locked todos; a paused one stays paused. Returns the events of occurrences that it
 * deletes, for `recordErasure`.
 */
export async function setSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  plan: Plan,
  { userId, scopes }: ScheduleOwner,
  now: Date,
): Promise<NewEvent[]> {
  const { kind, rrule, timezone, startsAt, nextRunAt } = plan;
  const erased = await deleteAheadOf(tx, workspaceId, todoIds, now);
  await tx.rows(set, [workspaceId, todoIds, kind, rrule, timezone, startsAt, nextRunAt, userId, [...scopes]]);
  await tx.rows(mark, [workspaceId, todoIds]);
  return erased;
}

const end = `with ended as (
    delete from todo_schedules where workspace_id = $1 and todo_id = any($2::uuid[]) returning todo_id
  ) update todos set is_scheduled = false, updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id in (select todo_id from ended)`;

/**
 * Deletes the schedules of locked todos; their past occurrences stay. Returns the events of those ahead, which it
 * deletes, for `recordErasure`.
 */
export async function endSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  now: Date,
): Promise<NewEvent[]> {
  const erased = await deleteAheadOf(tx, workspaceId, todoIds, now);
  await tx.rows(end, [workspaceId, todoIds]);
  return erased;
}
