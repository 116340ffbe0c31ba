import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { invalid, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { folded } from '../folding.ts';
import { type Assigned, References } from './references.ts';
import { findTodo, findTodos, lockTodos, priorityRank, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { Todo, type TodoAnswer, type TodoPatch } from './shapes.ts';

type Columns = Partial<
  Record<'title' | 'content' | 'status' | 'priority' | 'type' | 'todo_list_id' | 'due_date' | 'is_suggested', unknown>
>;

/** A patch whose references were looked up. */
interface Change {
  columns: Columns;
  assignees: Assigned[] | undefined;
}

/** What a patch sets. `at` is its path prefix in the request. @throws Failure 400, 404 with the `param` at fault. */
async function changeOf(db: Db, workspaceId: string, patch: TodoPatch, at = ''): Promise<Change> {
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
  return { columns, assignees };
}

const untitled = 'select 1 from todos where workspace_id = $1 and id = any($2::uuid[]) and title is null limit 1';

/**
 * A todo without a title keeps a content that says something. A title once set is never cleared, so that what holds
 * here holds at the write. @throws Failure 400.
 */
async function requireText(db: Db, workspaceId: string, ids: readonly string[], patch: TodoPatch, at = '') {
  const { title, content } = patch;
  if (title !== undefined || content === undefined || content?.trim()) return;
  if ((await db.rows(untitled, [workspaceId, ids])).length === 0) return;
  throw invalid(`${at}content`, 'A todo keeps a title or a content. Give it a title before you clear the content.');
}

/**
 * Sets columns of todos, keeps their search text in step, and reads them back: one statement, one text per shape. A
 * statement that waited for another writer changes what that one left, but reads the assignees as they were when it
 * began: the version tells, and the todos are read again.
 */
async function write(db: Db, workspaceId: string, ids: readonly string[], columns: Columns): Promise<TodoAnswer[]> {
  const bindings = new Bindings();
  const these = `workspace_id = ${bindings.bind(workspaceId)} and`;
  const list = `any(${bindings.bind(ids)}::uuid[])`;
  const sets = Object.entries(columns).map(([column, value]) => `${column} = ${bindings.bind(value)}`);
  const words = (['title', 'content'] as const).filter((column) => column in columns);
  const searched = words.map((column) => `${column} = ${bindings.bind(folded(String(columns[column] ?? '')))}`);
  const indexed = `, indexed as (update todo_search set ${searched.join(', ')} where ${these} todo_id = ${list})`;
  const text = `with held as materialized (
      select id as held_id, xmin::text as version from todos where ${these} id = ${list} for no key update
    ), changed as (
      update todos set ${[...sets, 'updated_at = greatest(now(), updated_at)'].join(', ')} from held
      where ${these} id = held_id returning *
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
 * assignees. One that sets nothing changes nothing, the time of the last change included.
 */
async function apply(db: Db, workspaceId: string, ids: readonly string[], { columns, assignees }: Change) {
  if (assignees) {
    await db.rows(unassign, [workspaceId, ids]);
    await db.rows(assign, [workspaceId, ids, assignees.map((each) => each.user), assignees.map((each) => each.agent)]);
  } else if (Object.keys(columns).length === 0) return findTodos(db, workspaceId, ids);
  return write(db, workspaceId, ids, columns);
}

/**
 * Changes one todo. A plain patch is one statement; assignees and preconditions lock the row first.
 * @throws Failure 400, 404, 412.
 */
export async function updateTodo(
  db: Db,
  workspaceId: string,
  todoId: string,
  patch: TodoPatch,
  ifMatch?: readonly string[],
): Promise<TodoAnswer> {
  const change = await changeOf(db, workspaceId, patch);
  await requireText(db, workspaceId, [todoId], patch);
  const make = async (tx: Db) => {
    const [todo] = await apply(tx, workspaceId, [todoId], change);
    if (!todo) throw notFound('todo', 'todoId');
    return todo;
  };
  if (change.assignees === undefined && ifMatch === undefined) return make(db);
  return db.transaction(async (tx) => {
    await lockTodos(tx, workspaceId, [todoId]);
    requireMatch(ifMatch, Todo, await findTodo(tx, workspaceId, todoId));
    return make(tx);
  });
}

class DryRun extends Error {
  readonly todos: TodoAnswer[];
  constructor(todos: TodoAnswer[]) {
    super('dry run');
    this.todos = todos;
  }
}

const archive = `update todos set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = any($2::uuid[]) and archived_at is null`;

/**
 * Changes or archives up to a hundred todos, all or none, and returns them in the order of `ids`. A dry run answers
 * what would be and changes nothing. @throws Failure 400, 404 with `param` naming the id.
 */
export async function bulkUpdate(
  db: Db,
  workspaceId: string,
  request: { ids: string[]; patch?: TodoPatch | undefined; archive?: true | undefined; dryRun: boolean },
): Promise<TodoAnswer[]> {
  const { ids, patch, dryRun } = request;
  if ((patch === undefined) === (request.archive === undefined))
    throw invalid('patch', 'Pass either patch or archive: true.');
  const order = [...new Set(ids.map((id) => id.toLowerCase()))];
  const change = patch && (await changeOf(db, workspaceId, patch, 'patch.'));
  if (patch) await requireText(db, workspaceId, order, patch, 'patch.');
  const work = async (tx: Db) => {
    const found = await lockTodos(tx, workspaceId, order);
    const missing = ids.findIndex((id) => !found.has(id.toLowerCase()));
    if (missing >= 0) throw notFound('todo', `ids[${missing}]`);
    if (change) await apply(tx, workspaceId, order, change);
    else await tx.rows(archive, [workspaceId, order]);
    const todos = new Map((await findTodos(tx, workspaceId, order)).map((todo) => [todo.id, todo]));
    const answer = order.flatMap((id) => todos.get(id) ?? []);
    if (dryRun) throw new DryRun(answer);
    return answer;
  };
  try {
    return await db.transaction(work);
  } catch (error) {
    if (error instanceof DryRun) return error.todos;
    throw error;
  }
}
