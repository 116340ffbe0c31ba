import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import type { NewEvent } from '../events/record.ts';
import { requireDistance } from '../schedules/planning.ts';
import { endSchedules, setSchedules } from '../schedules/rows.ts';
import { pauseSchedules, settleSchedules } from '../schedules/states.ts';
import type { Change } from './change.ts';
import type { TodoAnswer } from './shapes.ts';

/** @throws Failure 400 when there is nothing to pause or to resume. */
function requireSchedules(before: readonly TodoAnswer[], { schedule, schedulePaused }: Change, at: string): void {
  if (schedulePaused === undefined || schedule) return;
  if (schedule === undefined && before.every((todo) => todo.scheduleType !== null)) return;
  const message = 'There is no schedule to pause or to resume. Set one with schedule, or leave this out.';
  throw invalid(`${at}schedulePaused`, message);
}

interface Rescheduled {
  /** Whether any may have changed. */
  rescheduled: boolean;
  /** The events of occurrences that were deleted, for `recordErasure`. */
  erased: readonly NewEvent[];
}

/**
 * Applies a change of locked todos to their schedules: set, ended, paused or resumed, and disabled while their todo is
 * done. `at` is the path prefix of the patch. @throws Failure 400.
 */
export async function reschedule(
  { db, principal, clock }: Context,
  before: readonly TodoAnswer[],
  change: Change,
  at: string,
): Promise<Rescheduled> {
  const { workspaceId, userId, scopes } = principal;
  const { schedule, schedulePaused, columns } = change;
  requireSchedules(before, change, at);
  const ids = before.map((todo) => todo.id);
  const now = clock();
  if (schedule) requireDistance(principal, schedule, now, `${at}schedule`);
  let erased: readonly NewEvent[] = [];
  if (schedule) erased = await setSchedules(db, workspaceId, ids, schedule, { userId, scopes: [...scopes] }, now);
  else if (schedule === null) erased = await endSchedules(db, workspaceId, ids, now);
  if (schedulePaused !== undefined) await pauseSchedules(db, workspaceId, ids, schedulePaused);
  const scheduled = schedule ? ids : before.filter((todo) => todo.scheduleType !== null).map((todo) => todo.id);
  const touched = schedule !== undefined || schedulePaused !== undefined || 'status' in columns;
  if (!touched || scheduled.length === 0) return { rescheduled: schedule === null, erased };
  await settleSchedules(db, workspaceId, scheduled, now);
  return { rescheduled: true, erased };
}
