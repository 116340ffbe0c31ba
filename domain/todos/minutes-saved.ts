import { and, eq, isNull } from 'drizzle-orm';
import { changedNow } from '../../db/schema/columns.ts';
import { todos } from '../../db/schema/todos.ts';
import type { ServiceContext } from '../context.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import type { TodoRunAnswer } from './run-shapes.ts';
import type { TodoAnswer } from './shapes.ts';

/** The facts from which the minutes that agents saved on a todo are estimated. */
export interface EstimateFacts extends Pick<TodoAnswer, 'title' | 'content'> {
  /** The most recent first. Seconds are those between start and end, until now for one that is running. */
  runs: (Pick<TodoRunAnswer, 'status' | 'minutesUsed' | 'summary'> & { seconds: number })[];
  /** In all chats of the todo. */
  messages: number;
  toolCalls: number;
}

const facts = `select t.title, t.content,
    (select coalesce(json_agg(json_build_object('status', r.status, 'minutesUsed', r.minutes_used, 'summary', r.summary,
        'seconds', round(extract(epoch from coalesce(r.finished_at, now()) - r.started_at))) order by r.started_at desc, r.id desc), '[]')
      from todo_runs r where r.workspace_id = $1 and r.todo_id = t.id) as runs,
    total.messages, total.tool_calls as "toolCalls"
  from todos t cross join lateral (
    select count(*)::int as messages, coalesce(sum((
        select count(*) from jsonb_array_elements(m.blocks) b where b->>'type' = 'tool_call')), 0)::int as tool_calls
    from chats c join messages m on m.workspace_id = c.workspace_id and m.chat_id = c.id
    where c.workspace_id = $1 and c.todo_id = t.id) total
  where t.workspace_id = $1 and t.id = $2 and t.status = 'done' and t.minutes_saved is null`;

interface TodoRef {
  workspaceId: string;
  todoId: string;
}

/** The facts for an estimate; undefined when the todo does not exist, is not done or has an estimate. */
export async function estimateFacts(
  { db }: Pick<ServiceContext, 'db'>,
  { workspaceId, todoId }: TodoRef,
): Promise<EstimateFacts | undefined> {
  const [row] = await db.rows<EstimateFacts>(facts, [workspaceId, todoId]);
  return row;
}

export interface Estimate {
  /** Whole minutes, 0 or more. */
  minutes: number;
  /** One line. */
  reason: string;
  confidence: NonNullable<TodoAnswer['minutesSavedConfidence']>;
}

/** Stores an estimate in a transaction, once per todo and only while it is done. Returns whether it was stored. */
export async function setMinutesSaved(
  { db }: Pick<ServiceContext, 'db'>,
  { workspaceId, todoId, minutes, reason, confidence }: TodoRef & Estimate,
): Promise<boolean> {
  const estimate = { minutesSaved: minutes, minutesSavedReason: reason, minutesSavedConfidence: confidence };
  const one = and(eq(todos.workspaceId, workspaceId), eq(todos.id, todoId));
  const changed = await db.orm
    .update(todos)
    .set({ ...estimate, updatedAt: changedNow })
    .where(and(one, eq(todos.status, 'done'), isNull(todos.minutesSaved)))
    .returning({ id: todos.id });
  if (changed.length > 0) await recordTodoUpdate(db, workspaceId, todoId, Object.keys(estimate));
  return changed.length > 0;
}
