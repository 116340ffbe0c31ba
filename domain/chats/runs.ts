import type { Db } from '../../db/client.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { recordRunEnd } from '../schedules/states.ts';

// A schedule shows as queued while the run that it started is.
const setReason = `with old as (
    select id, todo_id, trigger, status_reason from todo_runs
    where workspace_id = $1 and id = $2 and status_reason is distinct from $3 for no key update
  ), changed as (
    update todo_runs r set status_reason = $3 from old where r.workspace_id = $1 and r.id = old.id
  ) select todo_id as "todoId", trigger = 'schedule' and coalesce(status_reason = 'queued', false) and exists (
      select from todo_schedules s
      where s.workspace_id = $1 and s.todo_id = old.todo_id and s.status in ('pending', 'completed')) as "wasQueued"
  from old`;

/** The fields of a todo that change with the reason of its latest run. */
export interface ReasonChange {
  todoId: string;
  fields: string[];
}

/** Sets why a run does not continue at the moment; null when it does. Undefined when that was the reason before. */
export async function changeRunReason(
  db: Db,
  workspaceId: string,
  runId: string,
  reason: 'awaiting_input' | null,
): Promise<ReasonChange | undefined> {
  const [row] = await db.rows<{ todoId: string; wasQueued: boolean }>(setReason, [workspaceId, runId, reason]);
  return row && { todoId: row.todoId, fields: [...(row.wasQueued ? ['scheduleStatus'] : []), 'latestRun'] };
}

/** Sets why a run does not continue, and records it as a change of its todo. */
export async function setRunReason(db: Db, workspaceId: string, runId: string, reason: 'awaiting_input' | null) {
  const changed = await changeRunReason(db, workspaceId, runId, reason);
  if (changed) await recordTodoUpdate(db, workspaceId, changed.todoId, changed.fields);
}

/** How a turn ends, with its run. */
export interface Ending {
  outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out';
  /** For a person; with `failed` and `timed_out`. */
  errorMessage?: string | null;
  /** What the agent said last. */
  summary?: string | null;
  /** The caller records how the todo of the run changes. */
  todoIsRecorded?: boolean;
  /** The chat got the last message of the turn in the same transaction, or is erased in it: one event says it all. */
  beside?: 'message' | 'erasure';
}

// The todo of a run is locked. A run is compared with what it was when it started.
const end = `with old as (
    select id, status_reason from todo_runs where workspace_id = $1 and id = $2 and status = 'running' for no key update
  ), ended as (
    update todo_runs r set status = $3, error_message = $4, summary = $5, status_reason = null, finished_at = now()
    from old where r.workspace_id = $1 and r.id = old.id
    returning r.todo_id, r.agent_id, r.chat_id, r.minutes_used, old.status_reason
  ) update todos t set updated_at = greatest(now(), updated_at) from ended
    where t.workspace_id = $1 and t.id = ended.todo_id
    returning t.id, t.title, t.content, ended.agent_id as "agentId", ended.chat_id as "chatId", ended.minutes_used > 0 as "isCharged",
      ended.status_reason as reason`;

interface EndedRow {
  id: string;
  title: string | null;
  content: string | null;
  agentId: string | null;
  chatId: string;
  isCharged: boolean;
  reason: string | null;
}

function finishedFields({ reason, isCharged }: EndedRow, { errorMessage, summary }: Ending): string[] {
  const fields = { statusReason: reason, errorMessage, summary, minutesUsed: isCharged || null };
  const changed = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return ['status', 'finishedAt', ...changed.map(([name]) => name)];
}

/**
 * Ends a run unless it has ended before, in its schedule too, and records that. Returns its todo; undefined when it had
 * ended. The change of the todo is recorded unless the caller does that (`todoIsRecorded`).
 */
export async function endRun(
  db: Db,
  { workspaceId, runId }: { workspaceId: string; runId: string },
  ending: Ending,
  now: Date,
): Promise<Pick<EndedRow, 'id' | 'title' | 'content'> | undefined> {
  const { outcome, errorMessage = null, summary = null, todoIsRecorded = false } = ending;
  const [row] = await db.rows<EndedRow>(end, [workspaceId, runId, outcome, errorMessage, summary]);
  if (!row) return undefined;
  const { id: todoId, title, content, agentId, chatId, reason } = row;
  const isQueued = reason === 'queued';
  const fields = await recordRunEnd(db, { workspaceId, runId, isQueued }, outcome, errorMessage, now);
  const parents = { todoId, chatId, ...(agentId !== null && { agentId }) };
  const changedFields = finishedFields(row, ending);
  await recordEvent(db, workspaceId, { type: 'todo_run.finished', objectId: runId, parents, changedFields });
  if (!todoIsRecorded) await recordTodoUpdate(db, workspaceId, todoId, [...fields, 'latestRun']);
  return { id: todoId, title, content };
}
