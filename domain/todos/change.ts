import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { SharedTexts } from '../../db/prepared-texts.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { todoParentsColumn } from '../events/changes.ts';
import { recordingPart } from '../events/record.ts';
import type { Plan } from '../schedules/plan.ts';
import { plansOf } from '../schedules/planning.ts';
import { folded } from '../text.ts';
import { statusEventColumn } from './events.ts';
import { type LabelChange, labelChangeOf, setLabels } from './labelling.ts';
import { type Assigned, References } from './references.ts';
import { settlingPart } from './reminder-instants.ts';
import { findTodos, priorityRank, type TodoRow, todoColumns, todosOf } from './rows.ts';
import type { TodoAnswer, TodoPatch } from './shapes.ts';

/** The columns that a patch may set, with the fields of the answer that show them. */
const fieldNames = {
  title: 'title',
  content: 'content',
  status: 'status',
  priority: 'priority',
  type: 'type',
  todo_list_id: 'todoListId',
  due_date: 'dueDate',
  parent_todo_id: 'parentTodoId',
  is_suggested: 'isSuggested',
} as const;

type Column = keyof typeof fieldNames;
type Columns = Partial<Record<Column, unknown>>;

/** A patch whose references were looked up. */
export interface Change {
  columns: Columns;
  assignees: Assigned[] | undefined;
  labels: LabelChange | undefined;
  /** Null ends the schedule. */
  schedule: Plan | null | undefined;
  schedulePaused: boolean | undefined;
}

/** What a patch sets. `at` is its path prefix in the request. @throws Failure 400, 404 with the `param` at fault. */
export async function changeOf(ctx: Context, patch: TodoPatch, at = ''): Promise<Change> {
  const { title, content, status, priority, type, todoListId, dueDate, parentTodoId, isSuggested } = patch;
  const references = new References(ctx.db, ctx.principal);
  const columns = {
    ...(title !== undefined && { title }),
    ...(content !== undefined && { content }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority: priority === null ? null : priorityRank(priority) }),
    ...(type !== undefined && { type }),
    ...(todoListId !== undefined && { todo_list_id: await references.listById(todoListId, `${at}todoListId`) }),
    ...(dueDate !== undefined && { due_date: dueDate }),
    ...(parentTodoId !== undefined && { parent_todo_id: parentTodoId }),
    ...(isSuggested !== undefined && { is_suggested: isSuggested }),
  };
  const [assignees] = patch.assignees ? await references.assignees([patch.assignees], [`${at}assignees`]) : [];
  const labels = await labelChangeOf(references, patch, at);
  const [plan] = await plansOf(ctx, [patch.schedule], () => `${at}schedule`);
  references.requireSound();
  const schedule = patch.schedule === undefined ? undefined : (plan ?? null);
  return { columns, assignees, labels, schedule, schedulePaused: patch.schedulePaused };
}

const untitled = 'select 1 from todos where workspace_id = $1 and id = any($2::uuid[]) and title is null limit 1';

/**
 * A todo without a title needs a content that is not blank. A title is never cleared, so what is true here is still
 * true at the write. @throws Failure 400.
 */
export async function requireText(db: Db, workspaceId: string, ids: readonly string[], patch: TodoPatch, at = '') {
  const { title, content } = patch;
  if (title !== undefined || content === undefined || content?.trim()) return;
  if ((await db.rows(untitled, [workspaceId, ids])).length === 0) return;
  throw invalid(`${at}content`, 'A todo needs a title or a content. Set a title before you clear the content.');
}

/** The condition of a todo without a schedule. */
const unscheduled = ' and not todos.is_scheduled';

/**
 * The condition of a todo without runs, chats and schedule. Attaching one writes the row of the todo, even with equal
 * values: a statement that began before that sees a version that is no longer the current one.
 */
const untouched = `${unscheduled} and todos.latest_run_id is null and not exists
    (select 1 from chats c where c.workspace_id = $1 and c.todo_id = todos.id)
  and row_version = (select s.xmin::text from todos s where s.workspace_id = $1 and s.id = todos.id)`;

/** `untouched`: only todos without runs, chats and schedule; `unscheduled`: only those without a schedule. */
export type Only = 'any' | 'unscheduled' | 'untouched';
const conditions: Record<Only, string> = { any: '', unscheduled, untouched };

/** Which todos a statement changes, and how they are recorded. */
interface Write {
  only: Only;
  /** Ids of todos of which something else was changed before. */
  touched: readonly string[];
  /** The todo whose event the statement records; undefined when the caller does that. */
  recorded: string | undefined;
}

/** The part of the statement that records the change of a todo, if any of its columns has another value now. */
function recordedPart(db: Db, bindings: Bindings, workspace: string, columns: Columns, todoId: string): string {
  const names = Object.keys(columns) as Column[];
  const changed = names.map(
    (name) => `case when c.${name} is distinct from c.old_${name} then '${fieldNames[name]}' end`,
  );
  return recordingPart(bindings, db.origin, {
    events: [{ type: 'todo.updated', objectId: todoId }],
    changed: 'changed',
    workspace,
    parents: todoParentsColumn,
    fields: `array_remove(array[${changed.join(', ')}]::text[], null)`,
    version: 'c.revision',
    ...('status' in columns && { type: statusEventColumn }),
  });
}

const sharedTexts = new SharedTexts();

/**
 * Sets columns of todos and of their search text, and reads them back: one statement, one text per shape. The time of
 * the last change, and the version where the statement records it, move only where a value changes. A statement that
 * waited for another writer changes the row of that writer, but reads the assignees of its own snapshot: the version
 * shows it, and the todos are read again. `only` leaves out other todos.
 */
async function write(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  columns: Columns,
  { only, touched, recorded }: Write,
): Promise<TodoAnswer[]> {
  const bindings = new Bindings();
  const workspace = bindings.bind(workspaceId);
  const these = `workspace_id = ${workspace} and`;
  const list = `any(${bindings.bind(ids)}::uuid[])`;
  const names = Object.keys(columns) as Column[];
  const bound = names.map((name) => [name, bindings.bind(columns[name])] as const);
  const changes = bound.map(([name, value]) => `todos.${name} is distinct from ${value}`);
  if (touched.length > 0) changes.push(`todos.id = any(${bindings.bind(touched)}::uuid[])`);
  const sets = bound.map(([name, value]) => `${name} = ${value}`);
  const isChanged = changes.join(' or ');
  sets.push(`updated_at = case when ${isChanged} then greatest(now(), updated_at) else updated_at end`);
  if (recorded !== undefined) sets.push(`revision = case when ${isChanged} then revision + 1 else revision end`);
  const words = (['title', 'content'] as const).filter((column) => column in columns);
  const searched = words.map((column) => `${column} = ${bindings.bind(folded(String(columns[column] ?? '')))}`);
  const indexed = `, indexed as (update todo_search set ${searched.join(', ')} where ${these} todo_id = ${list}
    and todo_id in (select id from changed))`;
  const reminded = 'due_date' in columns || 'status' in columns ? `, ${settlingPart('changed', workspace)}` : '';
  const { eventId, hasRecorded } = db.origin;
  const record = recorded === undefined ? '' : `, ${recordedPart(db, bindings, workspace, columns, recorded)}`;
  const built = `with held as materialized (
      select id as held_id, xmin::text as row_version${names.map((name) => `, ${name} as old_${name}`).join('')}
      from todos where ${these} id = ${list} for no key update
    ), changed as (
      update todos set ${sets.join(', ')} from held
      where ${these} id = held_id${conditions[only]} returning *
    )${searched.length > 0 ? indexed : ''}${reminded}${record} select ${todoColumns()},
      row_version <> (select xmin::text from todos s where s.workspace_id = $1 and s.id = t.id) as overtaken,
      ${record ? 'exists (select from recorded)' : 'false'} as "isRecorded"
    from changed t`;
  const shape = [names.join(), only, touched.length > 0, recorded !== undefined].join(' ');
  const text = sharedTexts.share(shape, built);
  const rows = await db.rows<TodoRow & { overtaken: boolean; isRecorded: boolean }>(text, bindings.values);
  if (record && !rows.some((row) => row.isRecorded)) Object.assign(db.origin, { eventId, hasRecorded });
  if (rows.some((row) => row.overtaken)) return findTodos(db, workspaceId, ids);
  return todosOf(rows.map(({ overtaken: _, isRecorded: __, ...row }) => row));
}

const unassign = 'delete from todo_assignees where workspace_id = $1 and todo_id = any($2::uuid[])';
const assign = `insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
  select $1, t.id, a.position, a.user_id, a.agent_id, t.created_at
  from unnest($3::uuid[], $4::uuid[]) with ordinality a(user_id, agent_id, position), todos t
  where t.workspace_id = $1 and t.id = any($2::uuid[])`;

/**
 * Sets plain columns of one todo and records that. A change that sets nothing, or equal values, is none: not even
 * `updated_at` moves. Undefined when there is no such todo, or `only` leaves it out.
 */
export async function applyPlain(
  db: Db,
  workspaceId: string,
  todoId: string,
  { columns }: Change,
  only: Only,
): Promise<TodoAnswer | undefined> {
  const ids = [todoId];
  const written = { only, touched: [], recorded: todoId };
  const isEmpty = Object.keys(columns).length === 0;
  const [todo] = await (isEmpty ? findTodos(db, workspaceId, ids) : write(db, workspaceId, ids, columns, written));
  return todo;
}

/** Whether other assignees are wanted, or others first. */
function differs({ assignees }: TodoAnswer, wanted: readonly Assigned[]): boolean {
  return assignees.map(({ id }) => id).join() !== wanted.map(({ user, agent }) => user ?? agent).join();
}

/**
 * Applies one change to locked todos; the answers are in no order. Call it in a transaction. The schedule is not set
 * here, and nothing is recorded.
 */
export async function applyChange(
  db: Db,
  workspaceId: string,
  before: readonly TodoAnswer[],
  { columns, assignees, labels }: Change,
): Promise<TodoAnswer[]> {
  const ids = before.map(({ id }) => id);
  const reassigned = assignees ? before.filter((todo) => differs(todo, assignees)).map(({ id }) => id) : [];
  if (assignees && reassigned.length > 0) {
    const named = [assignees.map(({ user }) => user), assignees.map(({ agent }) => agent)];
    await db.rows(unassign, [workspaceId, reassigned]);
    await db.rows(assign, [workspaceId, reassigned, ...named]);
  }
  const labelled = labels ? await setLabels(db, workspaceId, before, labels) : [];
  const touched = [...new Set([...reassigned, ...labelled])];
  if (touched.length === 0 && Object.keys(columns).length === 0) return findTodos(db, workspaceId, ids);
  return write(db, workspaceId, ids, columns, { only: 'any', touched, recorded: undefined });
}
