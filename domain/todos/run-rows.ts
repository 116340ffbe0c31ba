import { and, eq, getTableColumns } from 'drizzle-orm';
import { type Db, instantFromPostgres } from '../../db/client.ts';
import { todoRuns } from '../../db/schema/turns.ts';
import { notFound } from '../errors.ts';
import type { TodoRunAnswer } from './run-shapes.ts';

/** The columns of a run, from a relation `r` shaped like `todo_runs`. */
export const runColumns = `r.id, r.todo_id as "todoId", r.chat_id as "chatId", r.agent_id as "agentId", r.status, r.trigger,
  r.started_at as "startedAt", r.finished_at as "finishedAt", r.status_reason as "statusReason",
  r.error_message as "errorMessage", r.summary, r.minutes_used::float8 as "minutesUsed"`;

/** A row of `runColumns`. */
export type RunRow = Omit<typeof todoRuns.$inferSelect, 'workspaceId'>;

/** The run of a row. */
export function runOf(row: RunRow): TodoRunAnswer {
  return { object: 'todo_run', ...row };
}

/**
 * The latest run of a relation `t` shaped like `todos`: its whole row as one JSON value, which is cheaper to plan than
 * selected columns for a page where no todo has a run. `latest_run_id` saves the lookup for todos without runs.
 */
export const latestRunColumn = `case when t.latest_run_id is not null then (select row_to_json(r)
    from todo_runs r where r.workspace_id = $1 and r.id = t.latest_run_id) end as "latestRun"`;

/** The used fields of a cell of `latestRunColumn`; its instants are PostgreSQL's. */
export interface RunCell extends Pick<RunRow, 'id' | 'status' | 'trigger' | 'summary'> {
  todo_id: RunRow['todoId'];
  chat_id: RunRow['chatId'];
  agent_id: RunRow['agentId'];
  started_at: string;
  finished_at: string | null;
  status_reason: RunRow['statusReason'];
  error_message: RunRow['errorMessage'];
  minutes_used: RunRow['minutesUsed'];
}

/** The run of a cell of `latestRunColumn`. */
export function runOfCell(cell: RunCell | null): TodoRunAnswer | null {
  if (!cell) return null;
  return runOf({
    id: cell.id,
    todoId: cell.todo_id,
    chatId: cell.chat_id,
    agentId: cell.agent_id,
    status: cell.status,
    trigger: cell.trigger,
    startedAt: instantFromPostgres(cell.started_at),
    finishedAt: cell.finished_at && instantFromPostgres(cell.finished_at),
    statusReason: cell.status_reason,
    errorMessage: cell.error_message,
    summary: cell.summary,
    minutesUsed: cell.minutes_used,
  });
}

const { workspaceId: _, ...columns } = getTableColumns(todoRuns);

/** The run of a chat. @throws Failure 404 when it has none. */
export async function runInChat(db: Db, workspaceId: string, chatId: string): Promise<TodoRunAnswer> {
  const isOfChat = and(eq(todoRuns.workspaceId, workspaceId), eq(todoRuns.chatId, chatId));
  const [row] = await db.orm.select(columns).from(todoRuns).where(isOfChat);
  if (!row) throw notFound('run', 'chatId');
  return runOf(row);
}
