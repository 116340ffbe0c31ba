import type { z } from 'zod';
import { Bindings } from '../../db/bindings.ts';
import type { Plan } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { type CursorScope, cursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { canonicalFilters, valuesOf } from './filter.ts';
import { requireTodo } from './rows.ts';
import { type RunRow, runColumns, runOf } from './run-rows.ts';
import type { RunListing, WorkspaceRunListing } from './run-shapes.ts';

/** A page of runs, the most recent first: its conditions on `todo_runs r`, and where it begins. */
interface Listing {
  where: string[];
  bindings: Bindings;
  scope: CursorScope;
  cursor: string | undefined;
  limit: number;
  plan: Plan;
}

async function pageOfRuns({ db }: Context, { where, bindings, scope, cursor, limit, plan }: Listing) {
  const after: Position | undefined = cursor === undefined ? undefined : positionOf(scope, cursor);
  if (after) where.push(`(r.started_at, r.id) < (${bindings.bind(after[0])}::timestamptz, ${bindings.bind(after[1])})`);
  const text = `select ${runColumns} from todo_runs r where ${where.join(' and ')}
    order by r.started_at desc, r.id desc limit ${bindings.bind(limit + 1)}`;
  const rows = await db.rows<RunRow>(text, bindings.values, plan);
  return { object: 'list' as const, ...pageOf(rows.map(runOf), limit, scope, (run) => [run.startedAt, run.id]) };
}

/** One page of the runs of a todo, the most recent first. @throws Failure 400 `invalid_cursor`, 404. */
export async function listTodoRuns(ctx: Context, input: z.infer<typeof RunListing>) {
  const { workspaceId } = ctx.principal;
  const { todoId, limit, cursor, status } = input;
  const filters = { todoId, status };
  const scope = cursorScope(ctx, { sort: 'startedAt', order: 'desc', filters });
  const bindings = new Bindings();
  const where = [`r.workspace_id = ${bindings.bind(workspaceId)}`, `r.todo_id = ${bindings.bind(todoId)}`];
  if (status) where.push(`r.status = ${bindings.bind(status)}`);
  const page = await pageOfRuns(ctx, { where, bindings, scope, cursor, limit, plan: 'generic' });
  if (page.data.length === 0) await requireTodo(ctx.db, workspaceId, todoId);
  return page;
}

/** One page of the runs of all todos of the workspace, the most recent first. @throws Failure 400 `invalid_cursor`. */
export function listRuns(ctx: Context, input: z.infer<typeof WorkspaceRunListing>) {
  const { limit, cursor, ...filter } = input;
  const { status, trigger, agentId, since } = filter;
  const filters = canonicalFilters({ ...filter, agentId });
  const scope = cursorScope(ctx, { sort: 'startedAt', order: 'desc', filters });
  const bindings = new Bindings();
  const where = [`r.workspace_id = ${bindings.bind(ctx.principal.workspaceId)}`];
  const addOneOf = (column: string, values: readonly string[]) => {
    if (values.length === 1) where.push(`${column} = ${bindings.bind(values[0])}`);
    if (values.length > 1) where.push(`${column} = any(${bindings.bind(values)}::text[])`);
  };
  addOneOf('r.status', valuesOf(status));
  addOneOf('r.trigger', valuesOf(trigger));
  if (agentId !== undefined) where.push(`r.agent_id = ${bindings.bind(agentId)}`);
  if (since !== undefined) where.push(`r.started_at >= ${bindings.bind(since)}::timestamptz`);
  const plan = where.length > 1 ? 'custom' : 'generic';
  return pageOfRuns(ctx, { where, bindings, scope, cursor, limit, plan });
}
