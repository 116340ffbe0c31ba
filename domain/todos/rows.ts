import { and, eq } from 'drizzle-orm';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { changedNow } from '../../db/schema/columns.ts';
import { todos } from '../../db/schema/todos.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { TodoLabel } from '../labels/shapes.ts';
import { type ScheduleCell, scheduleColumn, scheduleFacts } from '../schedules/rows.ts';
import { turnTaker } from '../slices.ts';
import { positionColumn } from './order-keys.ts';
import { settlingPart } from './reminder-instants.ts';
import { latestRunColumn, type RunCell, runOfCell } from './run-rows.ts';
import { type PriorityName, priorities, type TodoAnswer } from './shapes.ts';
import { type SubTodoCell, subTodosColumn } from './sub-todos.ts';

type AssigneeCell = [type: 'user' | 'agent', id: string, named: [name: string, isArchived: boolean]];

type LabelCell = [id: string, name: string, color: z.infer<typeof TodoLabel>['color']];

/** A row of `todoColumns`. `priority` is a rank. */
export interface TodoRow
  extends Pick<
    typeof todos.$inferSelect,
    | 'id'
    | 'title'
    | 'content'
    | 'status'
    | 'priority'
    | 'type'
    | 'todoListId'
    | 'dueDate'
    | 'captureId'
    | 'parentTodoId'
    | 'isSuggested'
    | 'source'
    | 'minutesSaved'
    | 'minutesSavedReason'
    | 'minutesSavedConfidence'
    | 'version'
    | 'createdAt'
    | 'updatedAt'
  > {
  isArchived: boolean;
  subTodos: SubTodoCell | null;
  position: string;
  assignees: AssigneeCell[] | null;
  labels: LabelCell[] | null;
  latestRun: RunCell | null;
  schedule: ScheduleCell | null;
}

/** Stored rank of a priority: 4 urgent … 1 low. */
export function priorityRank(name: PriorityName): number {
  return priorities.length - priorities.indexOf(name);
}

function priorityName(rank: number): PriorityName | null {
  return priorities[priorities.length - rank] ?? null;
}

/**
 * The columns of a todo with its assignees, its schedule and its labels, from a relation `t` shaped like `todos`;
 * assignees from `assigned`, schedules from `scheduled`, labels from `labelled`.
 */
export function todoColumns(
  assigned = 'todo_assignees',
  scheduled = 'todo_schedules',
  labelled = 'todo_labels',
): string {
  return `t.id, t.title, t.content, t.status, t.priority, t.type, t.todo_list_id as "todoListId", t.due_date as "dueDate",
    t.capture_id as "captureId", t.parent_todo_id as "parentTodoId", ${subTodosColumn},
    ${positionColumn} as position, t.archived_at is not null as "isArchived", t.is_suggested as "isSuggested", t.source,
    t.minutes_saved as "minutesSaved", t.minutes_saved_reason as "minutesSavedReason",
    t.minutes_saved_confidence as "minutesSavedConfidence", t.revision as version, t.created_at as "createdAt", t.updated_at as "updatedAt",
    ${latestRunColumn},
    ${scheduleColumn(scheduled)},
    (select json_agg(json_build_array(case when a.user_id is null then 'agent' else 'user' end, a.assignee_id,
        case when a.user_id is null
          then (select json_build_array(g.name, g.archived_at is not null)
            from agents g where g.workspace_id = $1 and g.id = a.agent_id)
          else (select json_build_array(u.name, m.removed_at is not null)
            from members m join users u on u.id = m.user_id
            where m.workspace_id = $1 and m.user_id = a.user_id) end) order by a.position)
      from ${assigned} a where a.workspace_id = $1 and a.todo_id = t.id) as assignees,
    case when t.has_had_labels then (select json_agg(json_build_array(b.id, b.name, b.color) order by b.key)
      from ${labelled} x join labels b on b.workspace_id = x.workspace_id and b.id = x.label_id
      where x.workspace_id = $1 and x.todo_id = t.id) end as labels`;
}

/** The todo of a row. */
export function todoOf(row: TodoRow): TodoAnswer {
  const latestRun = runOfCell(row.latestRun);
  const schedule = scheduleFacts(row.schedule, latestRun);
  const [subTodoCount, doneSubTodoCount] = row.subTodos ?? [0, 0];
  return {
    object: 'todo',
    id: row.id,
    title: row.title,
    content: row.content,
    status: row.status,
    priority: row.priority === null ? null : priorityName(row.priority),
    type: row.type,
    todoListId: row.todoListId,
    dueDate: row.dueDate,
    assignees: (row.assignees ?? []).map(([type, id, [name, isArchived]]) => ({
      object: 'todo_assignee',
      type,
      id,
      name,
      profilePhotoUrl: null,
      isArchived,
    })),
    labels: (row.labels ?? []).map(([id, name, color]) => ({ object: 'todo_label', id, name, color })),
    captureId: row.captureId,
    parentTodoId: row.parentTodoId,
    subTodoCount,
    doneSubTodoCount,
    position: row.position,
    isArchived: row.isArchived,
    isSuggested: row.isSuggested,
    source: row.source,
    scheduleError: schedule.scheduleError,
    rrule: schedule.rrule,
    timezone: schedule.timezone,
    nextRunAt: schedule.nextRunAt,
    upcomingRuns: schedule.upcomingRuns,
    lastRunAt: schedule.lastRunAt,
    scheduleType: schedule.scheduleType,
    scheduleStatus: schedule.scheduleStatus,
    lastNotificationStatus: schedule.lastNotificationStatus,
    lastNotificationSentAt: schedule.lastNotificationSentAt,
    latestRun,
    minutesSaved: row.minutesSaved,
    minutesSavedReason: row.minutesSavedReason,
    minutesSavedConfidence: row.minutesSavedConfidence,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/**
 * The todos of rows, in their order. The next times of a schedule may be searched for long: others have their turns in
 * between.
 */
export async function todosOf(rows: readonly TodoRow[]): Promise<TodoAnswer[]> {
  const takeTurn = turnTaker();
  const found: TodoAnswer[] = [];
  for (const row of rows) {
    found.push(todoOf(row));
    const turn = takeTurn();
    if (turn) await turn;
  }
  return found;
}

const byIds = `select ${todoColumns()} from todos t where t.workspace_id = $1 and t.id = any($2::uuid[])`;
const bareByIds = byIds.replace('t.content,', 'null::text as content,');
const byId = `select ${todoColumns()} from todos t where t.workspace_id = $1 and t.id = $2`;
const locked = `select id from todos where workspace_id = $1 and id = any($2::uuid[]) order by id for update`;

/** The todos of these ids that the workspace has, in no order. */
export async function findTodos(db: Db, workspaceId: string, ids: readonly string[]): Promise<TodoAnswer[]> {
  return todosOf(await db.rows<TodoRow>(byIds, [workspaceId, ids]));
}

/** As `findTodos`, without the contents: of todos that no answer shows, which may be many and long. */
export async function findBareTodos(db: Db, workspaceId: string, ids: readonly string[]): Promise<TodoAnswer[]> {
  return todosOf(await db.rows<TodoRow>(bareByIds, [workspaceId, ids]));
}

/** The todo of this id. @throws Failure 404 when the workspace has no such todo. */
export async function findTodo(db: Db, workspaceId: string, todoId: string): Promise<TodoAnswer> {
  const [row] = await db.lookUp<TodoRow>(byId, [workspaceId, todoId]);
  if (!row) throw notFound('todo', 'todoId');
  return todoOf(row);
}

function isTodo(workspaceId: string, todoId: string) {
  return and(eq(todos.workspaceId, workspaceId), eq(todos.id, todoId));
}

/** Checks that the workspace has the todo. @throws Failure 404. */
export async function requireTodo({ orm }: Db, workspaceId: string, todoId: string): Promise<void> {
  const [row] = await orm.select({ id: todos.id }).from(todos).where(isTodo(workspaceId, todoId));
  if (!row) throw notFound('todo', 'todoId');
}

/** Sets the time of the last change of a todo to now. */
export async function touchTodo({ orm }: Db, workspaceId: string, todoId: string): Promise<void> {
  await orm.update(todos).set({ updatedAt: changedNow }).where(isTodo(workspaceId, todoId));
}

/** Get one todo with all fields. @throws Failure 404. */
export function getTodo({ db, principal }: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  return findTodo(db, principal.workspaceId, todoId);
}

/**
 * Locks the rows of these todos, in the order of their ids so that two writers never deadlock; returns the ids found.
 */
export async function lockTodos(db: Db, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(locked, [workspaceId, ids]);
  return new Set(rows.map((row) => row.id));
}

const archive = `with archived as (
    update todos set archived_at = now(), updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = any($2::uuid[]) and archived_at is null returning *
  ), ${settlingPart('archived', '$1')} select id from archived`;

/** Archives these locked todos; settle their schedules afterwards. Returns how many were active. */
export async function archiveTodos(db: Db, workspaceId: string, ids: readonly string[]): Promise<number> {
  return (await db.rows(archive, [workspaceId, ids])).length;
}
