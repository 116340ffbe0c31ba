import type { Db } from '../../db/client.ts';
import { type NewEvent, recordEvents } from '../events/record.ts';
import type { Schedule } from '../schedules/rows.ts';
import { maxFailures, nextOpenTime } from '../schedules/states.ts';
import type { TodoAnswer } from '../todos/shapes.ts';
import type { DueTimes } from './due.ts';
import { type OccurrenceRow, occurrenceId } from './rows.ts';

type ErrorCode = NonNullable<TodoAnswer['scheduleError']>['code'];

/** The outcome of a planned time. */
export interface Outcome {
  status: Extract<OccurrenceRow['status'], 'fired' | 'skipped' | 'missed'>;
  runId: string | null;
  /** People were notified, whatever became of the agent. */
  notified: boolean;
  error: { code: ErrorCode; message: string } | null;
}

const messages: Partial<Record<ErrorCode, string>> = {
  insufficient_minutes: 'The workspace has no agent minutes left, so no agent started.',
  agent_archived: 'The agent of this todo is archived. Restore it, or assign another.',
  no_assignee: 'Nobody is assigned to this todo. Assign an agent or a person.',
  already_running: 'An agent was still working on this todo, so this time was skipped.',
  internal_error: 'Something went wrong on our side.',
};

/** The outcome of a time that did not fire. */
export function failed(code: ErrorCode, status: Outcome['status'] = 'missed', message = messages[code] ?? ''): Outcome {
  return { status, runId: null, notified: false, error: { code, message } };
}

const record = `with recorded as (
    insert into todo_occurrences (workspace_id, id, todo_id, planned_at, fired_at, status, run_id)
    select $1, o.id, $2, o.planned_at, o.fired_at, o.status, o.run_id
    from unnest($3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::uuid[])
      o(id, planned_at, fired_at, status, run_id)
    on conflict (workspace_id, todo_id, planned_at) do nothing returning id, planned_at, fired_at, status
  ), touched as (
    update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2
  ), advanced as (
    update todo_schedules set status = $8, next_run_at = $9::timestamptz, consecutive_failures = $10, error_code = $11,
      error_message = $12, error_at = $13::timestamptz, last_fired_at = coalesce($14::timestamptz, last_fired_at),
      updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and todo_id = $2
  ) select id, status, fired_at as "firedAt" from recorded order by planned_at`;

/** What is recorded of a schedule whose times are due. */
interface Fired {
  schedule: Schedule;
  due: DueTimes;
  /** Of the time that fires; null when none does. */
  outcome: Outcome | null;
  /** RFC 3339. */
  now: string;
}

const types = { fired: 'todo_occurrence.fired', missed: 'todo_occurrence.missed' } as const;

type Recorded = Pick<OccurrenceRow, 'id' | 'status' | 'firedAt'>;

/** The event of an occurrence that was the next one until now. */
function eventOf({ id, status, firedAt }: Recorded, todoId: string, outcome: Outcome | null) {
  const isFired = status === 'fired';
  const type = isFired || status === 'missed' ? types[status] : 'todo_occurrence.updated';
  const fields = { firedAt: firedAt !== null, status: true, runId: isFired && outcome?.runId != null };
  const changedFields = Object.entries(fields).flatMap(([name, changed]) => (changed ? [name] : []));
  return { type, objectId: id, parents: { todoId }, changedFields } as NewEvent;
}

/**
 * Records the outcome of the due times and sets the next one, in the transaction given. The caller records how the todo
 * changed.
 */
export async function recordDue(tx: Db, workspaceId: string, { schedule, due, outcome, now }: Fired): Promise<void> {
  const { todoId, consecutiveFailures } = schedule;
  const { missed, fires } = due;
  const times = fires === null ? missed : [...missed, fires];
  const ids = times.map((time) => occurrenceId(todoId, time));
  const firedAt = outcome?.status === 'fired' || outcome?.notified ? now : null;
  const column = <Value>(last: Value, other: Value) => times.map((time) => (time === fires ? last : other));
  const error = outcome?.error ?? null;
  // The start of a run does not reset the count of failures, because the run may still fail: its end, or a notification
  // of people, does. Neither does a skipped time.
  const unchanged = outcome === null || outcome.runId !== null || outcome.status === 'skipped';
  const counted = unchanged ? consecutiveFailures : error ? consecutiveFailures + 1 : 0;
  const failures = outcome?.notified ? 0 : counted;
  const disabled = failures >= maxFailures;
  const next = disabled ? null : nextOpenTime(schedule, Date.parse(now));
  const resumed = next === null ? 'completed' : 'pending';
  const status = disabled ? 'disabled' : error ? 'error' : resumed;
  const recorded = await tx.rows<Recorded>(record, [
    workspaceId,
    todoId,
    ids,
    times,
    column(firedAt, null),
    column<string>(outcome?.status ?? 'missed', 'missed'),
    column(outcome?.runId ?? null, null),
    status,
    next,
    failures,
    error?.code ?? null,
    error?.message ?? null,
    error && now,
    firedAt,
  ]);
  const events = recorded.map((row) => eventOf(row, todoId, outcome));
  if (error) events.push({ type: 'schedule.failed', objectId: todoId, parents: { todoId } });
  await recordEvents(tx, workspaceId, events);
}
