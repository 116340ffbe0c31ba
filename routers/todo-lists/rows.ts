import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { conflict, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { TodoList, type TodoListAnswer } from './shapes.ts';

/** Lists of a workspace with their counts: all, or the one of id $2. */
function select(where: string): string {
  return `select l.id, l.name, l.emoji, l.color, l.is_default as "isDefault", l.archived_at is not null as "isArchived",
      coalesce(c.todos, 0)::int as "todoCount", coalesce(c.active, 0)::int as "activeTodoCount",
      l.created_at as "createdAt", l.updated_at as "updatedAt"
    from todo_lists l left join lateral (
      select count(*) as todos, count(*) filter (where t.status <> 'done') as active from todos t
      where t.workspace_id = l.workspace_id and t.todo_list_id = l.id and t.archived_at is null and not t.is_suggested
    ) c on true
    where l.workspace_id = $1 and ${where}`;
}

const all = `${select('($2 or l.archived_at is null)')} order by l.is_default desc, l.created_at, l.id`;
const one = select('l.id = $2');

function answer(row: Omit<TodoListAnswer, 'object'>): TodoListAnswer {
  return { object: 'todo_list', ...row };
}

/** @throws Failure 404 when the workspace has no such list. */
export async function findTodoList(db: Db, workspaceId: string, todoListId: string): Promise<TodoListAnswer> {
  const [row] = await db.rows<Omit<TodoListAnswer, 'object'>>(one, [workspaceId, todoListId]);
  if (!row) throw notFound('todo list', 'todoListId');
  return answer(row);
}

/** The list with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
async function lockTodoList(db: Db, workspaceId: string, todoListId: string, ifMatch: readonly string[] | undefined) {
  await db.rows('select 1 from todo_lists where workspace_id = $1 and id = $2 for update', [workspaceId, todoListId]);
  const list = await findTodoList(db, workspaceId, todoListId);
  requireMatch(ifMatch, TodoList, list);
  return list;
}

function isDefault(refused: 'archived' | 'deleted') {
  return conflict(`The default list cannot be ${refused}. Archive its todos, or move them to another list.`);
}

const insert = `insert into todo_lists (workspace_id, id, name, emoji, color) values ($1, $2, $3, $4, $5)`;
const update = `update todo_lists set name = $3, emoji = $4, color = $5,
    archived_at = case when $6 then coalesce(archived_at, now()) end, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2`;

/** The todo lists of a workspace, the default one first, then the oldest. */
export async function listTodoLists(db: Db, workspaceId: string, includeArchived: boolean): Promise<TodoListAnswer[]> {
  return (await db.rows<Omit<TodoListAnswer, 'object'>>(all, [workspaceId, includeArchived])).map(answer);
}

/** Makes a todo list. Its name may be one that another list has. */
export async function createTodoList(
  db: Db,
  workspaceId: string,
  { name, emoji, color }: { name: string; emoji?: string | null | undefined; color?: string | null | undefined },
): Promise<TodoListAnswer> {
  const id = newId();
  await db.rows(insert, [workspaceId, id, name, emoji ?? null, color ?? null]);
  return findTodoList(db, workspaceId, id);
}

export interface TodoListChanges {
  name?: string | undefined;
  emoji?: string | null | undefined;
  color?: string | null | undefined;
  archived?: boolean | undefined;
}

/** Changes a todo list; what `changes` omits stays. @throws Failure 404, 409 archiving the default list, 412. */
export function updateTodoList(
  db: Db,
  workspaceId: string,
  todoListId: string,
  changes: TodoListChanges,
  ifMatch?: readonly string[],
): Promise<TodoListAnswer> {
  return db.transaction(async (tx) => {
    const list = await lockTodoList(tx, workspaceId, todoListId, ifMatch);
    const { name = list.name, emoji = list.emoji, color = list.color, archived = list.isArchived } = changes;
    if (archived && list.isDefault) throw isDefault('archived');
    const changed = name !== list.name || emoji !== list.emoji || color !== list.color || archived !== list.isArchived;
    if (!changed) return list;
    await tx.rows(update, [workspaceId, todoListId, name, emoji, color, archived]);
    return findTodoList(tx, workspaceId, todoListId);
  });
}

/** Erases an empty todo list. @throws Failure 404, 409 for the default list and one that holds todos, 412. */
export function deleteTodoList(db: Db, workspaceId: string, todoListId: string, ifMatch?: readonly string[]) {
  return db.transaction(async (tx) => {
    const list = await lockTodoList(tx, workspaceId, todoListId, ifMatch);
    if (list.isDefault) throw isDefault('deleted');
    const key = [workspaceId, todoListId];
    const held = await tx.rows('select 1 from todos where workspace_id = $1 and todo_list_id = $2 limit 1', key);
    if (held.length > 0) {
      throw conflict('This list holds todos, perhaps archived ones. Move or erase them first, or archive the list.');
    }
    await tx.rows('delete from todo_lists where workspace_id = $1 and id = $2', key);
    return { object: 'deleted' as const, id: todoListId, deleted: true as const, recoverable: false };
  });
}
