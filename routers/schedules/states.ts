import type { Db } from '../../db/client.ts';
import { timesAfter } from './plan.ts';
import { lockSchedules, type Schedule } from './rows.ts';

/** So many failures in a row disable a schedule. */
export const mostFailures = 5;

/**
 * The next time of a schedule after `after` (milliseconds since 1970) that nobody skipped or ticked off ahead; null when
 * none is left.
 */
export function nextOpenTime(schedule: Schedule, after: number): string | null {
  const { settled } = schedule;
  return timesAfter(schedule, after, settled.length + 1).find((time) => !settled.includes(time)) ?? null;
}

const move = `update todo_schedules set status = $3, next_run_at = $4::timestamptz, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2`;

function shallRest({ resting, paused, consecutiveFailures }: Schedule): boolean {
  return resting || paused || consecutiveFailures >= mostFailures;
}

/**
 * Brings the schedules of locked todos into the state that their todos ask for, after a change: those of what is done,
 * archived or paused stop, the others resume at their next time to come (CONTRACT §5). What is spent stays so.
 */
export async function settleSchedules(
  tx: Db,
  workspaceId: string,
  todoIds: readonly string[],
  now: Date,
): Promise<void> {
  for (const schedule of await lockSchedules(tx, workspaceId, todoIds, now)) {
    const { todoId, status, nextRunAt } = schedule;
    if (shallRest(schedule)) {
      if (nextRunAt !== null) await tx.rows(move, [workspaceId, todoId, 'disabled', null]);
    } else if (status === 'disabled') {
      const next = nextOpenTime(schedule, now.getTime());
      await tx.rows(move, [workspaceId, todoId, next === null ? 'completed' : 'pending', next]);
    }
  }
}

const pause = `update todo_schedules set paused = $3, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = any($2::uuid[])`;
const forgive = `update todo_schedules set consecutive_failures = 0, error_code = null, error_message = null, error_at = null
  where workspace_id = $1 and todo_id = any($2::uuid[]) and status = 'disabled'`;
const touch = `update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = any($2::uuid[])`;

/** Pauses the schedules of locked todos, or resumes them, also those that failures disabled; settle them afterwards. */
export async function pauseSchedules(tx: Db, workspaceId: string, todoIds: readonly string[], paused: boolean) {
  await tx.rows(pause, [workspaceId, todoIds, paused]);
  if (!paused) await tx.rows(forgive, [workspaceId, todoIds]);
  await tx.rows(touch, [workspaceId, todoIds]);
}

const succeeded = `update todo_schedules s set consecutive_failures = 0
  from todo_runs r where r.workspace_id = $1 and r.id = $2 and r.trigger = 'schedule'
    and s.workspace_id = $1 and s.todo_id = r.todo_id and s.consecutive_failures > 0 and s.status <> 'disabled'`;
const failed = `update todo_schedules s set consecutive_failures = s.consecutive_failures + 1,
    error_code = 'run_failed', error_message = $3, error_at = $4::timestamptz,
    status = case when s.status = 'disabled' or s.consecutive_failures + 1 >= ${mostFailures} then 'disabled' else 'error' end,
    next_run_at = case when s.consecutive_failures + 1 >= ${mostFailures} then null else s.next_run_at end,
    updated_at = greatest(now(), s.updated_at)
  from todo_runs r where r.workspace_id = $1 and r.id = $2 and r.trigger = 'schedule'
    and s.workspace_id = $1 and s.todo_id = r.todo_id`;

/**
 * What the end of a run means to the schedule that started it: a failure counts like one to start, a success ends the
 * count. Call it with the todo locked.
 */
export async function tellSchedule(
  tx: Db,
  { workspaceId, runId }: { workspaceId: string; runId: string },
  outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out',
  message: string | null,
  now: Date,
): Promise<void> {
  if (outcome === 'completed') await tx.rows(succeeded, [workspaceId, runId]);
  if (outcome === 'failed' || outcome === 'timed_out') {
    const text = message ?? 'The agent could not finish.';
    await tx.rows(failed, [workspaceId, runId, text, now.toISOString()]);
  }
}
