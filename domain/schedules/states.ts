import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { changedNow } from '../../db/schema/columns.ts';
import { todoSchedules } from '../../db/schema/schedules.ts';
import { recordEvent } from '../events/record.ts';
import { timesAfter } from './plan.ts';
import { lockSchedules, type Schedule } from './rows.ts';

/** Failures in a row that disable a schedule. */
export const maxFailures = 5;

/**
 * The next time of a schedule after `after` (milliseconds since 1970) that was not skipped or marked done ahead; null
 * when none is left.
 */
export function nextOpenTime(schedule: Schedule, after: number): string | null {
  const settled = new Set(schedule.settled);
  return timesAfter(schedule, after, settled.size + 1).find((time) => !settled.has(time)) ?? null;
}

/** Sets the status and the next time of the schedule of a locked todo; null completes or disables it. */
export async function setNextRun(
  { orm }: Db,
  workspaceId: string,
  { todoId, ...next }: Pick<Schedule, 'todoId' | 'status' | 'nextRunAt'>,
): Promise<void> {
  await orm
    .update(todoSchedules)
    .set({ ...next, updatedAt: changedNow })
    .where(and(eq(todoSchedules.workspaceId, workspaceId), eq(todoSchedules.todoId, todoId)));
}

function mustNotFire({ isSuspended, paused, consecutiveFailures }: Schedule): boolean {
  return isSuspended || paused || consecutiveFailures >= maxFailures;
}

/**
 * Updates the status of the schedules of locked todos after a change: schedules that are paused, or whose todo is done
 * or archived, are disabled, the others resume at their next time (CONTRACT §5). Completed schedules stay completed.
 */
export async function settleSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  now: Date,
): Promise<void> {
  for (const schedule of await lockSchedules(tx, workspaceId, todoIds, now)) {
    const { todoId, status, nextRunAt } = schedule;
    if (mustNotFire(schedule)) {
      const isOver = nextRunAt === null && status !== 'error';
      if (!isOver) await setNextRun(tx, workspaceId, { todoId, status: 'disabled', nextRunAt: null });
    } else if (status === 'disabled') {
      const next = nextOpenTime(schedule, now.getTime());
      await setNextRun(tx, workspaceId, { todoId, status: next === null ? 'completed' : 'pending', nextRunAt: next });
    }
  }
}

const pause = `update todo_schedules set paused = $3, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = any($2::uuid[]) and paused <> $3 returning todo_id as id`;
const resetFailures = `update todo_schedules set consecutive_failures = 0, error_code = null, error_message = null, error_at = null
  where workspace_id = $1 and todo_id = any($2::uuid[]) and status = 'disabled'
    and (consecutive_failures > 0 or error_code is not null) returning todo_id as id`;
const touch = `update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = any($2::uuid[])`;

/** Pauses or resumes the schedules of locked todos, also those that failures disabled; settle them afterwards. */
export async function pauseSchedules(tx: Db, workspaceId: string, todoIds: readonly string[], paused: boolean) {
  const key = [workspaceId, todoIds];
  const changed = await tx.rows<{ id: string }>(pause, [...key, paused]);
  if (!paused) changed.push(...(await tx.rows<{ id: string }>(resetFailures, key)));
  if (changed.length > 0) await tx.rows(touch, [workspaceId, changed.map(({ id }) => id)]);
}

// A run that started before the schedule was set belongs to the previous one.
const ofRun = `from todo_runs r, old where r.workspace_id = $1 and r.id = $2 and r.trigger = 'schedule'
    and old.todo_id = r.todo_id and s.workspace_id = $1 and s.todo_id = r.todo_id and r.started_at >= s.created_at`;
const before = `with old as (
    select s.* from todo_schedules s join todo_runs r on r.workspace_id = $1 and r.id = $2 and r.todo_id = s.todo_id
    where s.workspace_id = $1
  )`;
/** What changed of a schedule, as its todo shows it. */
const changes = `returning s.todo_id as "todoId", old.error_code is not null as "hasError",
  old.next_run_at is distinct from s.next_run_at as "nextDiffers", old.status as "oldStatus", s.status`;
const succeeded = `${before} update todo_schedules s set consecutive_failures = 0
  ${ofRun} and s.consecutive_failures > 0 and s.status <> 'disabled' ${changes}`;
const failed = `${before} update todo_schedules s set consecutive_failures = s.consecutive_failures + 1,
    error_code = 'run_failed', error_message = $3, error_at = $4::timestamptz,
    status = case when s.status = 'disabled' or s.consecutive_failures + 1 >= ${maxFailures} then 'disabled' else 'error' end,
    next_run_at = case when s.consecutive_failures + 1 >= ${maxFailures} then null else s.next_run_at end,
    updated_at = greatest(now(), s.updated_at)
  ${ofRun} ${changes}`;
const shownQueued = `select 1 from todo_runs r join todo_schedules s on s.workspace_id = r.workspace_id and s.todo_id = r.todo_id
  where r.workspace_id = $1 and r.id = $2 and r.trigger = 'schedule' and s.status in ('pending', 'completed')`;

interface Changes {
  todoId: string;
  hasError: boolean;
  nextDiffers: boolean;
  oldStatus: Schedule['status'];
  status: Schedule['status'];
}

interface EndedRun {
  workspaceId: string;
  runId: string;
  /** It was still queued until the working hours of its agent. */
  isQueued: boolean;
}

/**
 * Records the end of a run in the schedule that started it: a failure counts like a failure to start, a success resets
 * the count. Call it with the todo locked. Returns the fields of the todo that changed.
 */
export async function recordRunEnd(
  tx: Db,
  { workspaceId, runId, isQueued }: EndedRun,
  outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out',
  message: string | null,
  now: Date,
): Promise<string[]> {
  const key = [workspaceId, runId];
  const wasQueued = isQueued && (await tx.rows(shownQueued, key)).length > 0;
  if (outcome === 'cancelled') return wasQueued ? ['scheduleStatus'] : [];
  if (outcome === 'completed') {
    const [schedule] = await tx.rows<Changes>(succeeded, key);
    return schedule?.hasError ? ['scheduleError'] : [];
  }
  const text = message ?? 'The agent could not finish.';
  const [schedule] = await tx.rows<Changes>(failed, [...key, text, now.toISOString()]);
  if (!schedule) return [];
  const { todoId, nextDiffers, oldStatus, status } = schedule;
  await recordEvent(tx, workspaceId, { type: 'schedule.failed', objectId: todoId, parents: { todoId } });
  const isOther = wasQueued || status !== oldStatus;
  return [
    'scheduleError',
    ...(nextDiffers ? ['nextRunAt', 'upcomingRuns'] : []),
    ...(isOther ? ['scheduleStatus'] : []),
  ];
}
