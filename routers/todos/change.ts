import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { World } from '../chats/turns.ts';
import { invalid } from '../errors.ts';
import { folded } from '../folding.ts';
import type { Plan } from '../schedules/plan.ts';
import { plansOf } from '../schedules/planning.ts';
import { type Assigned, References } from './references.ts';
import { findTodos, priorityRank, type TodoRow, todoColumns, todoOf } from './rows.ts';
import type { TodoAnswer, TodoPatch } from './shapes.ts';

type Columns = Partial<
  Record<'title' | 'content' | 'status' | 'priority' | 'type' | 'todo_list_id' | 'due_date' | 'is_suggested', unknown>
>;

/** A patch whose references were looked up. */
export interface Change {
  columns: Columns;
  assignees: Assigned[] | undefined;
  /** Null ends the schedule. */
  schedule: Plan | null | undefined;
  schedulePaused: boolean | undefined;
}

/** What a patch sets. `at` is its path prefix in the request. @throws Failure 400, 404 with the `param` at fault. */
export async function changeOf(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  workspaceId: string,
  patch: TodoPatch,
  at = '',
): Promise<Change> {
  const { title, content, status, priority, type, todoListId, dueDate, isSuggested } = patch;
  const references = new References(db, workspaceId);
  const columns = {
    ...(title !== undefined && { title }),
    ...(content !== undefined && { content }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority: priority === null ? null : priorityRank(priority) }),
    ...(type !== undefined && { type }),
    ...(todoListId !== undefined && { todo_list_id: await references.listById(todoListId, `${at}todoListId`) }),
    ...(dueDate !== undefined && { due_date: dueDate }),
    ...(isSuggested !== undefined && { is_suggested: isSuggested }),
  };
  const [assignees] = patch.assignees ? await references.assignees([patch.assignees], [`${at}assignees`]) : [];
  references.requireSound();
  const [plan] = await plansOf({ db, clock }, workspaceId, [patch.schedule], () => `${at}schedule`);
  const schedule = patch.schedule === undefined ? undefined : (plan ?? null);
  return { columns, assignees, schedule, schedulePaused: patch.schedulePaused };
}

const untitled = 'select 1 from todos where workspace_id = $1 and id = any($2::uuid[]) and title is null limit 1';

/**
 * A todo without a title keeps a content that says something. A title once set is never cleared, so that what holds
 * here holds at the write. @throws Failure 400.
 */
export async function requireText(db: Db, workspaceId: string, ids: readonly string[], patch: TodoPatch, at = '') {
  const { title, content } = patch;
  if (title !== undefined || content === undefined || content?.trim()) return;
  if ((await db.rows(untitled, [workspaceId, ids])).length === 0) return;
  throw invalid(`${at}content`, 'A todo keeps a title or a content. Give it a title before you clear the content.');
}

/** Holds for a todo without a schedule. */
const unscheduled = ' and not todos.is_scheduled';

/**
 * Holds for a todo without runs, chats and schedule. Whoever attaches one changes the row of the todo, if only to what it was: a
 * statement that began before that sees a version that is no longer the current one.
 */
const untouched = `${unscheduled} and todos.latest_run_id is null and not exists
    (select 1 from chats c where c.workspace_id = todos.workspace_id and c.todo_id = todos.id)
  and version = (select s.xmin::text from todos s where s.workspace_id = todos.workspace_id and s.id = todos.id)`;

/** `untouched`: those that neither an agent nor a schedule has to do with; `unscheduled`: those without a schedule. */
export type Only = 'any' | 'unscheduled' | 'untouched';
const conditions: Record<Only, string> = { any: '', unscheduled, untouched };

/**
 * Sets columns of todos, keeps their search text in step, and reads them back: one statement, one text per shape. A
 * statement that waited for another writer changes what that one left, but reads the assignees as they were when it
 * began: the version tells, and the todos are read again. `only` changes only what it says.
 */
async function write(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  columns: Columns,
  only: Only,
): Promise<TodoAnswer[]> {
  const bindings = new Bindings();
  const these = `workspace_id = ${bindings.bind(workspaceId)} and`;
  const list = `any(${bindings.bind(ids)}::uuid[])`;
  const sets = Object.entries(columns).map(([column, value]) => `${column} = ${bindings.bind(value)}`);
  const words = (['title', 'content'] as const).filter((column) => column in columns);
  const searched = words.map((column) => `${column} = ${bindings.bind(folded(String(columns[column] ?? '')))}`);
  const indexed = `, indexed as (update todo_search set ${searched.join(', ')} where ${these} todo_id = ${list}
    and todo_id in (select id from changed))`;
  const text = `with held as materialized (
      select id as held_id, xmin::text as version from todos where ${these} id = ${list} for no key update
    ), changed as (
      update todos set ${[...sets, 'updated_at = greatest(now(), updated_at)'].join(', ')} from held
      where ${these} id = held_id${conditions[only]} returning *
    )${searched.length > 0 ? indexed : ''} select ${todoColumns()},
      version <> (select xmin::text from todos s where s.workspace_id = t.workspace_id and s.id = t.id) as overtaken
    from changed t`;
  const rows = await db.rows<TodoRow & { overtaken: boolean }>(text, bindings.values);
  if (rows.some((row) => row.overtaken)) return findTodos(db, workspaceId, ids);
  return rows.map(({ overtaken: _, ...row }) => todoOf(row));
}

const unassign = 'delete from todo_assignees where workspace_id = $1 and todo_id = any($2::uuid[])';
const assign = `insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
  select $1, t.id, a.position, a.user_id, a.agent_id, t.created_at
  from unnest($3::uuid[], $4::uuid[]) with ordinality a(user_id, agent_id, position), todos t
  where t.workspace_id = $1 and t.id = any($2::uuid[])`;

/**
 * Makes one change to todos whose ids exist; the answers are in no order. Call it in a transaction when the change has
 * assignees. One that sets nothing changes nothing, the time of the last change included. `only` leaves out others. The
 * schedule is not set here.
 */
export async function apply(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  { columns, assignees }: Change,
  only: Only = 'any',
): Promise<TodoAnswer[]> {
  if (assignees) {
    await db.rows(unassign, [workspaceId, ids]);
    await db.rows(assign, [workspaceId, ids, assignees.map((each) => each.user), assignees.map((each) => each.agent)]);
  } else if (Object.keys(columns).length === 0) return findTodos(db, workspaceId, ids);
  return write(db, workspaceId, ids, columns, only);
}
