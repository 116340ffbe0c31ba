import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import { Bindings } from '../../db/bindings.ts';
import { type Db, instantFromPostgres } from '../../db/client.ts';
import { notFound } from '../errors.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import type { RunListing, TodoRunAnswer } from './run-shapes.ts';

/** The columns of a run, from a relation `r` shaped like `todo_runs`. */
export const runColumns = `r.id, r.todo_id as "todoId", r.chat_id as "chatId", r.agent_id as "agentId", r.status, r.trigger,
  r.started_at as "startedAt", r.finished_at as "finishedAt", r.status_reason as "statusReason",
  r.error_message as "errorMessage", r.summary, r.minutes_used::float8 as "minutesUsed"`;

export type RunRow = Omit<TodoRunAnswer, 'object'>;

export function runOf(row: RunRow): TodoRunAnswer {
  return { object: 'todo_run', ...row };
}

/**
 * The latest run of a relation `t` shaped like `todos`: its whole row as one JSON value, which costs a page where no todo
 * has one less to prepare than chosen columns. Todos that no agent has run are told by a column of their own and look
 * nothing up.
 */
export const latestRunColumn = `case when t.latest_run_id is not null then (select row_to_json(r)
    from todo_runs r where r.workspace_id = t.workspace_id and r.id = t.latest_run_id) end as "latestRun"`;

/** A cell of `latestRunColumn`, as far as it is told; its instants are PostgreSQL's. */
export interface RunCell extends Pick<RunRow, 'id' | 'status' | 'trigger' | 'summary'> {
  todo_id: string;
  chat_id: string;
  agent_id: string | null;
  started_at: string;
  finished_at: string | null;
  status_reason: string | null;
  error_message: string | null;
  minutes_used: number;
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

const inChat = `select ${runColumns} from todo_runs r where r.workspace_id = $1 and r.chat_id = $2`;

/** The run that works in a chat. @throws Failure 404 when none does. */
export async function runInChat(db: Db, workspaceId: string, chatId: string): Promise<TodoRunAnswer> {
  const [row] = await db.rows<RunRow>(inChat, [workspaceId, chatId]);
  if (!row) throw notFound('run', 'chatId');
  return runOf(row);
}

const exists = 'select 1 from todos where workspace_id = $1 and id = $2';

/** One page of the runs of a todo, the most recent first. @throws Failure 400 `invalid_cursor`, 404. */
export async function listRuns(db: Db, workspaceId: string, cursorKey: KeyObject, input: z.infer<typeof RunListing>) {
  const { todoId, limit, cursor, status } = input;
  const order = { operation: 'listTodoRuns', sort: 'startedAt', order: 'desc' };
  const filters = { todoId: todoId.toLowerCase(), status };
  const scope: CursorScope = { key: cursorKey, workspaceId, ...order, filters };
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const bindings = new Bindings();
  const where = [`r.workspace_id = ${bindings.bind(workspaceId)}`, `r.todo_id = ${bindings.bind(todoId)}`];
  if (status) where.push(`r.status = ${bindings.bind(status)}`);
  if (after) where.push(`(r.started_at, r.id) < (${bindings.bind(after[0])}::timestamptz, ${bindings.bind(after[1])})`);
  const text = `select ${runColumns} from todo_runs r where ${where.join(' and ')}
    order by r.started_at desc, r.id desc limit ${bindings.bind(limit + 1)}`;
  const rows = await db.rows<RunRow>(text, bindings.values);
  if (rows.length === 0 && (await db.rows(exists, [workspaceId, todoId])).length === 0)
    throw notFound('todo', 'todoId');
  return { object: 'list' as const, ...pageOf(rows.map(runOf), limit, scope, (run) => [run.startedAt, run.id]) };
}
