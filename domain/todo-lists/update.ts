import { and, eq, sql } from 'drizzle-orm';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { changedNow } from '../../db/schema/columns.ts';
import { todoLists, todos } from '../../db/schema/todos.ts';
import type { Context } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import { changedFieldsOf, recordErasure } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { onlyOf } from '../names.ts';
import { folded } from '../text.ts';
import { findTodoList, findTodoLists, isTodoList, lockTodoList } from './rows.ts';
import { maxTodoLists, type TodoListAnswer, type TodoListChanges } from './shapes.ts';

interface NewTodoList {
  name: string;
  emoji?: string | null | undefined;
  color?: string | null | undefined;
}

/** Creations in one workspace come one after the other, so that they cannot exceed the number of lists together. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended('todo lists ' || $1, 0))`;

/** Creates a todo list. Its name may be that of another list. @throws Failure 409 when the workspace has too many. */
export function createTodoList(ctx: Context, input: NewTodoList): Promise<TodoListAnswer> {
  const { name, emoji = null, color = null } = input;
  const [id, { workspaceId }] = [newId(), ctx.principal];
  return ctx.db.transaction(async (db) => {
    await db.rows(lockCreation, [workspaceId]);
    const count = await db.orm.$count(todoLists, eq(todoLists.workspaceId, workspaceId));
    if (count >= maxTodoLists) throw conflict(`A workspace has at most ${maxTodoLists} lists. Delete one first.`);
    await db.orm.insert(todoLists).values({ workspaceId, id, name, emoji, color });
    await recordEvent(db, workspaceId, { type: 'todo_list.created', objectId: id });
    return findTodoList(db, workspaceId, id);
  });
}

/** Records how a list changed; the numbers of its todos are not its own. */
function recordChange(db: Db, workspaceId: string, before: TodoListAnswer, after: TodoListAnswer): Promise<void> {
  const moved = after.isArchived ? 'todo_list.archived' : 'todo_list.restored';
  const type = before.isArchived === after.isArchived ? 'todo_list.updated' : moved;
  const { todoCount, activeTodoCount } = after;
  const changedFields = changedFieldsOf({ ...before, todoCount, activeTodoCount }, after);
  return recordEvent(db, workspaceId, { type, objectId: after.id, changedFields });
}

function isDefault(refused: 'archived' | 'deleted') {
  return conflict(`The default list cannot be ${refused}. Archive its todos, or move them to another list.`);
}

/** Changes a todo list; omitted fields are unchanged. @throws Failure 404, 409 archiving the default list, 412. */
export function updateTodoList(
  ctx: Context,
  { todoListId, ...changes }: TodoListChanges & { todoListId: string },
): Promise<TodoListAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const list = await lockTodoList({ ...ctx, db }, todoListId);
    const { name = list.name, emoji = list.emoji, color = list.color, archived = list.isArchived } = changes;
    if (archived && list.isDefault) throw isDefault('archived');
    const changed = name !== list.name || emoji !== list.emoji || color !== list.color || archived !== list.isArchived;
    if (!changed) return list;
    const archivedAt = archived ? sql`coalesce(archived_at, now())` : null;
    const values = { name, emoji, color, archivedAt, updatedAt: changedNow };
    await db.orm.update(todoLists).set(values).where(isTodoList(workspaceId, todoListId));
    const after = await findTodoList(db, workspaceId, todoListId);
    await recordChange(db, workspaceId, list, after);
    return after;
  });
}

/** Deletes an empty todo list. @throws Failure 404, 409 for the default list and one that has todos, 412. */
export function deleteTodoList(ctx: Context, { todoListId }: { todoListId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const list = await lockTodoList({ ...ctx, db }, todoListId);
    if (list.isDefault) throw isDefault('deleted');
    const inList = and(eq(todos.workspaceId, workspaceId), eq(todos.todoListId, todoListId));
    const [held] = await db.orm.select({ id: todos.id }).from(todos).where(inList).limit(1);
    if (held) {
      throw conflict('This list contains todos, which may be archived. Move or erase them first, or archive the list.');
    }
    await db.orm.delete(todoLists).where(isTodoList(workspaceId, todoListId));
    await recordErasure(db, workspaceId, [{ type: 'todo_list.deleted', objectId: list.id }]);
    return { object: 'deleted' as const, id: todoListId, deleted: true as const, recoverable: false };
  });
}

const lockName = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;

/**
 * The list of this name, or the only one ignoring case, an active one before an archived one; created when there is
 * none.
 * @throws Failure 400 when several have the name.
 */
function findOrCreate(ctx: Context, { name, ...changes }: TodoListChanges & { name: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    await db.rows(lockName, [`todo list ${workspaceId} ${folded(name)}`]);
    const lists = await findTodoLists(db, workspaceId, true);
    const existing = onlyOf(lists, name, 'todoListId');
    if (existing) {
      return { todoList: await updateTodoList(tx, { todoListId: existing.id, ...changes }), created: false };
    }
    const list = await createTodoList(tx, { name, emoji: changes.emoji, color: changes.color });
    const todoList = changes.archived ? await updateTodoList(tx, { todoListId: list.id, ...changes }) : list;
    return { todoList, created: true };
  });
}

/**
 * Changes the list of this id, or else the list of this name, which is created when there is none.
 * @throws Failure 400 without id and name or when several have the name, 404, 409 archiving the default list or when
 * there are too many.
 */
export async function upsertTodoList(
  ctx: Context,
  { todoListId, ...changes }: TodoListChanges & { todoListId?: string | undefined },
) {
  if (todoListId !== undefined) {
    return { todoList: await updateTodoList(ctx, { todoListId, ...changes }), created: false };
  }
  const { name } = changes;
  if (name === undefined) throw invalid('name', 'Give name to create a list, or todoListId to change one.');
  return findOrCreate(ctx, { ...changes, name });
}
