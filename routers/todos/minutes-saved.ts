import type { Db } from '../../db/client.ts';
import type { TodoRunAnswer } from './run-shapes.ts';
import type { TodoAnswer } from './shapes.ts';

/** What the minutes that agents saved on a todo are estimated from. */
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
      from todo_runs r where r.workspace_id = t.workspace_id and r.todo_id = t.id) as runs,
    said.messages, said.tool_calls as "toolCalls"
  from todos t cross join lateral (
    select count(*)::int as messages, coalesce(sum((
        select count(*) from jsonb_array_elements(m.blocks) b where b->>'type' = 'tool_call')), 0)::int as tool_calls
    from chats c join messages m on m.workspace_id = c.workspace_id and m.chat_id = c.id
    where c.workspace_id = t.workspace_id and c.todo_id = t.id) said
  where t.workspace_id = $1 and t.id = $2 and t.status = 'done' and t.minutes_saved is null`;

/** The facts for an estimate; undefined when there is none to make: the todo is gone, open again or has one. */
export async function estimateFacts(db: Db, workspaceId: string, todoId: string): Promise<EstimateFacts | undefined> {
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

const keep = `update todos set minutes_saved = $3, minutes_saved_reason = $4, minutes_saved_confidence = $5,
    updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and status = 'done' and minutes_saved is null returning id`;

/** Keeps an estimate, once in the life of a todo and only while it is done. Returns whether it was kept. */
export async function setMinutesSaved(db: Db, workspaceId: string, todoId: string, estimate: Estimate) {
  const { minutes, reason, confidence } = estimate;
  return (await db.rows(keep, [workspaceId, todoId, minutes, reason, confidence])).length > 0;
}
