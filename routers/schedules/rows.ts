import { type Db, instantFromPostgres } from '../../db/client.ts';
import type { TodoRunAnswer } from '../todos/run-shapes.ts';
import type { TodoAnswer } from '../todos/shapes.ts';
import { type Plan, upcomingRuns } from './plan.ts';

/** The part of a todo that its schedule fills in. */
export type ScheduleFacts = Pick<
  TodoAnswer,
  | 'scheduleError'
  | 'rrule'
  | 'timezone'
  | 'nextRunAt'
  | 'upcomingRuns'
  | 'lastRunAt'
  | 'scheduleType'
  | 'scheduleStatus'
  | 'lastNotificationStatus'
  | 'lastNotificationSentAt'
>;

type ScheduleErrorCode = NonNullable<TodoAnswer['scheduleError']>['code'];

/** A cell of `scheduleColumn`, as far as it is told; its instants are PostgreSQL's. */
export interface ScheduleCell extends Pick<TodoAnswer, 'rrule'> {
  kind: 'one_off' | 'recurring';
  timezone: string;
  starts_at: string;
  status: NonNullable<TodoAnswer['scheduleStatus']>;
  next_run_at: string | null;
  last_fired_at: string | null;
  error_code: ScheduleErrorCode | null;
  error_message: string | null;
  error_at: string | null;
  consecutive_failures: number;
  last_notification_status: TodoAnswer['lastNotificationStatus'];
  last_notification_sent_at: string | null;
}

/**
 * The schedule of a relation `t` shaped like `todos`, from `scheduled`: its whole row as one JSON value, which costs a
 * page where no todo has one less to prepare than chosen columns. Todos without one are told by a column of their own and
 * look nothing up.
 */
export function scheduleColumn(scheduled: string): string {
  return `case when t.is_scheduled then (select row_to_json(s)
    from ${scheduled} s where s.workspace_id = t.workspace_id and s.todo_id = t.id) end as schedule`;
}

function instant(cell: string | null): string | null {
  return cell && instantFromPostgres(cell);
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function errorOf(cell: ScheduleCell): TodoAnswer['scheduleError'] {
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

/** Whether the run that the schedule started waits for the working hours of its agent: its schedule is then `queued`. */
function isQueued({ status }: ScheduleCell, run: TodoRunAnswer | null): boolean {
  return (
    (status === 'pending' || status === 'completed') && run?.trigger === 'schedule' && run.statusReason === 'queued'
  );
}

/** What the schedule of a todo says of it. */
export function scheduleFacts(cell: ScheduleCell | null, latestRun: TodoRunAnswer | null): ScheduleFacts {
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

/** A schedule as it stands, with the state of its todo. */
export interface Schedule extends Pick<Plan, 'kind' | 'rrule' | 'timezone' | 'startsAt'> {
  todoId: string;
  status: 'pending' | 'queued' | 'disabled' | 'error' | 'completed';
  paused: boolean;
  nextRunAt: string | null;
  userId: string;
  scopes: string[];
  consecutiveFailures: number;
  /** The todo is done or archived: nothing fires until it is reopened or restored. */
  resting: boolean;
  /** Whoever set it is still a member. */
  hasOwner: boolean;
  /** Planned times from `nextRunAt`, or from now on, that a person skipped or ticked off before they came. */
  settled: string[];
}

interface ScheduleRow extends Omit<Schedule, 'settled'> {
  settled: string[] | null;
}

const held = `select s.todo_id as "todoId", s.kind, s.rrule, s.timezone, s.starts_at as "startsAt", s.status, s.paused,
    s.next_run_at as "nextRunAt", s.user_id as "userId", s.scopes, s.consecutive_failures as "consecutiveFailures",
    t.status = 'done' or t.archived_at is not null as resting,
    exists (select from members m where m.workspace_id = s.workspace_id and m.user_id = s.user_id
      and m.removed_at is null) as "hasOwner",
    (select json_agg(o.planned_at) from todo_occurrences o where o.workspace_id = s.workspace_id
      and o.todo_id = s.todo_id and o.planned_at >= least(s.next_run_at, $3::timestamptz)) as settled
  from todo_schedules s join todos t on t.workspace_id = s.workspace_id and t.id = s.todo_id
  where s.workspace_id = $1 and s.todo_id = any($2::uuid[])`;

const locked = `${held} order by s.todo_id for update of s`;

/** The schedules of todos, locked. Lock the todos first: whoever changes a schedule holds its todo. */
export async function lockSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  now: Date,
): Promise<Schedule[]> {
  const rows = await tx.rows<ScheduleRow>(locked, [workspaceId, todoIds, now.toISOString()]);
  return rows.map((row) => ({ ...row, settled: (row.settled ?? []).map(instantFromPostgres) }));
}

const coming = `select next_run_at as "nextRunAt" from todo_schedules where workspace_id = $1 and todo_id = $2`;

/** The next time of a todo; null when none is to come. */
export async function nextRunOf(db: Db, workspaceId: string, todoId: string): Promise<string | null> {
  const [row] = await db.rows<Pick<Schedule, 'nextRunAt'>>(coming, [workspaceId, todoId]);
  return row?.nextRunAt ?? null;
}

/** On whose behalf the agents of a schedule work. */
export interface ScheduleOwner {
  userId: string;
  scopes: readonly string[];
}

// What was skipped or ticked off ahead belonged to the times of the schedule before.
const forget = `delete from todo_occurrences
  where workspace_id = $1 and todo_id = any($2::uuid[]) and planned_at > $3::timestamptz`;
const set = `insert into todo_schedules
    (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, next_run_at, user_id, scopes)
  select $1, todo_id, $3, $4, $5, $6, 'pending', $7, $8, $9 from unnest($2::uuid[]) todo_id
  on conflict (workspace_id, todo_id) do update set kind = excluded.kind, rrule = excluded.rrule,
    timezone = excluded.timezone, starts_at = excluded.starts_at, status = excluded.status,
    next_run_at = excluded.next_run_at, user_id = excluded.user_id, scopes = excluded.scopes, consecutive_failures = 0,
    error_code = null, error_message = null, error_at = null, updated_at = greatest(now(), todo_schedules.updated_at)`;
const mark = `update todos set is_scheduled = $3, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = any($2::uuid[])`;

/** Gives locked todos a schedule in the place of the one they may have; one that was paused stays so. */
export async function setSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  plan: Plan,
  { userId, scopes }: ScheduleOwner,
  now: Date,
): Promise<void> {
  const { kind, rrule, timezone, startsAt, nextRunAt } = plan;
  await tx.rows(forget, [workspaceId, todoIds, now.toISOString()]);
  await tx.rows(set, [workspaceId, todoIds, kind, rrule, timezone, startsAt, nextRunAt, userId, [...scopes]]);
  await tx.rows(mark, [workspaceId, todoIds, true]);
}

const end = 'delete from todo_schedules where workspace_id = $1 and todo_id = any($2::uuid[])';

/** Ends the schedules of locked todos; what came of them stays. */
export async function endSchedules(tx: Db, workspaceId: string, todoIds: readonly string[], now: Date): Promise<void> {
  await tx.rows(forget, [workspaceId, todoIds, now.toISOString()]);
  await tx.rows(end, [workspaceId, todoIds]);
  await tx.rows(mark, [workspaceId, todoIds, false]);
}
