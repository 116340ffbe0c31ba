import { and, eq } from 'drizzle-orm';
import { chats } from '../../db/schema/chats.ts';
import { todoComments } from '../../db/schema/comments.ts';
import { todoOccurrences } from '../../db/schema/schedules.ts';
import { todos } from '../../db/schema/todos.ts';
import { closeChats } from '../chats/cancel.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordErasure, todoParents } from '../events/changes.ts';
import { type NewEvent, recordEvents } from '../events/record.ts';
import { settleSchedules } from '../schedules/states.ts';
import { recordTodoChanges } from './events.ts';
import { archiveTodos, findTodo, lockTodos, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { Todo, type TodoAnswer } from './shapes.ts';

const restore = `with changed as (
    update todos set archived_at = null, updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = $2 and archived_at is not null returning *
  ) select ${todoColumns()} from changed t`;

/** The todo with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
async function lockTodo({ db, principal, ifMatch }: Context, todoId: string): Promise<TodoAnswer> {
  await lockTodos(db, principal.workspaceId, [todoId]);
  const todo = await findTodo(db, principal.workspaceId, todoId);
  requireMatch(ifMatch, Todo, todo);
  return todo;
}

/** Archives a locked todo and disables its schedule; an agent at work on it continues. Returns it as it is then. */
async function archive({ db, principal: { workspaceId }, clock }: Context, todo: TodoAnswer): Promise<TodoAnswer> {
  if (todo.isArchived) return todo;
  await archiveTodos(db, workspaceId, [todo.id]);
  if (todo.scheduleType !== null) await settleSchedules(db, workspaceId, [todo.id], clock());
  const after = await findTodo(db, workspaceId, todo.id);
  const [recorded] = await recordTodoChanges(db, workspaceId, [todo], [after]);
  return recorded ?? after;
}

/** The event of a chat whose todo was erased. */
export function leftByTodo({ id }: { id: string }): NewEvent {
  return { type: 'chat.updated', objectId: id, changedFields: ['todoId'] };
}

/** Erases a locked todo: its chats stay, and an agent at work in one is stopped. @throws Failure 409 when it has runs. */
async function erase(ctx: Context, todo: TodoAnswer): Promise<void> {
  const { workspaceId } = ctx.principal;
  if (todo.latestRun) throw conflict('An agent has run this todo, so it cannot be erased. Archive it instead.');
  await closeChats(ctx, { workspaceId, todoIds: [todo.id] });
  const { orm } = ctx.db;
  const inChats = and(eq(chats.workspaceId, workspaceId), eq(chats.todoId, todo.id));
  const left = await orm.update(chats).set({ todoId: null }).where(inChats).returning({ id: chats.id });
  const ofTodo = and(eq(todoOccurrences.workspaceId, workspaceId), eq(todoOccurrences.todoId, todo.id));
  const occurrences = await orm.select({ id: todoOccurrences.id }).from(todoOccurrences).where(ofTodo);
  const onTodo = and(eq(todoComments.workspaceId, workspaceId), eq(todoComments.todoId, todo.id));
  const comments = await orm.select({ id: todoComments.id }).from(todoComments).where(onTodo);
  await orm.delete(todos).where(and(eq(todos.workspaceId, workspaceId), eq(todos.id, todo.id)));
  await recordEvents(ctx.db, workspaceId, left.map(leftByTodo));
  const deleted = { type: 'todo.deleted' as const, objectId: todo.id, parents: todoParents(todo) };
  const within = [...occurrences, ...comments].map(({ id }) => id);
  await recordErasure(ctx.db, workspaceId, [deleted], within);
}

/**
 * Archives a todo, or erases it when `permanent`: its chats stay, and an agent at work in one is stopped.
 * @throws Failure 404, 409 erasing a todo that has runs, 412.
 */
export function deleteTodo(ctx: Context, { todoId, permanent }: { todoId: string; permanent: boolean }) {
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const todo = await lockTodo(tx, todoId);
    const deleted = { object: 'deleted' as const, id: todo.id, deleted: true as const };
    if (permanent) {
      await erase(tx, todo);
      return { ...deleted, recoverable: false };
    }
    await archive(tx, todo);
    return { ...deleted, alreadyArchived: todo.isArchived, recoverable: true };
  });
}

/** Archives a todo and returns it. @throws Failure 404, 412. */
export function archiveTodo(ctx: Context, { todoId }: { todoId: string }) {
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const before = await lockTodo(tx, todoId);
    return { todo: await archive(tx, before), alreadyArchived: before.isArchived };
  });
}

/** Restores an archived todo and its schedule; an active one is unchanged. @throws Failure 404, 412. */
export function restoreTodo(ctx: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    if (ctx.ifMatch) await lockTodo({ ...ctx, db }, todoId);
    const [row] = await db.rows<TodoRow>(restore, [workspaceId, todoId]);
    if (!row) return findTodo(db, workspaceId, todoId);
    const todo = todoOf(row);
    const isScheduled = todo.scheduleType !== null;
    if (isScheduled) await settleSchedules(db, workspaceId, [todo.id], ctx.clock());
    const after = isScheduled ? await findTodo(db, workspaceId, todoId) : todo;
    const [recorded] = await recordTodoChanges(db, workspaceId, [{ ...todo, isArchived: true }], [after]);
    return recorded ?? after;
  });
}
