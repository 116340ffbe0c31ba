import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { chats } from '../../db/schema/chats.ts';
import { todos } from '../../db/schema/todos.ts';
import { closeChats } from '../chats/cancel.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordErasure, todoParents } from '../events/changes.ts';
import { type NewEvent, recordEvents } from '../events/record.ts';
import { eraseNotifications } from '../notifications/changes.ts';
import { settleSchedules } from '../schedules/states.ts';
import { recordTodoChanges } from './events.ts';
import { settlingPart } from './reminder-instants.ts';
import { archiveTodos, findBareTodos, findTodo, lockTodos } from './rows.ts';
import { Todo, type TodoAnswer } from './shapes.ts';
import { lockSubTodos } from './sub-todos.ts';

const restore = `with restored as (
    update todos set archived_at = null, updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = any($2::uuid[]) returning *
  ), ${settlingPart('restored', '$1')} select 1`;

const ofTodos = 'where workspace_id = $1 and todo_id = any($2::uuid[])';
const contents = `select id, todo_id as "todoId", 'todo_occurrence.deleted' as type, null::uuid as "readerId"
    from todo_occurrences ${ofTodos}
  union all select id, todo_id, 'comment.deleted', null from todo_comments ${ofTodos}
  union all select id, todo_id, 'reminder.deleted', user_id from todo_reminders ${ofTodos}`;

/**
 * The events of what is erased with these locked todos: their occurrences, comments and reminders; for `recordErasure`.
 */
export async function erasureOfContents(db: Db, workspaceId: string, todoIds: readonly string[]): Promise<NewEvent[]> {
  type Row = Pick<NewEvent, 'type'> & { id: string; todoId: string; readerId: string | null };
  const rows = await db.rows<Row>(contents, [workspaceId, todoIds]);
  return rows.map(({ id, todoId, type, readerId }) => ({
    type,
    objectId: id,
    parents: { todoId },
    ...(readerId !== null && { readerId }),
  }));
}

/** The todo with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
async function lockTodo({ db, principal, ifMatch }: Context, todoId: string): Promise<TodoAnswer> {
  await lockTodos(db, principal.workspaceId, [todoId]);
  const todo = await findTodo(db, principal.workspaceId, todoId);
  requireMatch(ifMatch, Todo, todo);
  return todo;
}

/**
 * Archives locked todos with their sub-todos and disables their schedules; agents at work on them continue. Returns the
 * given todos as they are then, in no order.
 */
export async function archiveWithSubTodos(ctx: Context, before: readonly TodoAnswer[]): Promise<TodoAnswer[]> {
  const { db, clock } = ctx;
  const { workspaceId } = ctx.principal;
  const given = new Set(before.map(({ id }) => id));
  const active = before.filter(({ isArchived }) => !isArchived).map(({ id }) => id);
  const within = (await lockSubTodos(db, workspaceId, active, 'active')).filter((id) => !given.has(id));
  const all = [...before, ...(await findBareTodos(db, workspaceId, within))];
  const ids = all.map(({ id }) => id);
  await archiveTodos(db, workspaceId, ids);
  await settleSchedules(db, workspaceId, ids, clock());
  const archived = withContents(await findBareTodos(db, workspaceId, ids), all);
  const after = await recordTodoChanges(db, workspaceId, all, archived);
  return after.filter(({ id }) => given.has(id));
}

/** These bare todos with the contents that locked ones had before a change of something else. */
function withContents(todos: readonly TodoAnswer[], before: readonly TodoAnswer[]): TodoAnswer[] {
  const contents = new Map(before.map(({ id, content }) => [id, content]));
  return todos.map((todo) => ({ ...todo, content: contents.get(todo.id) ?? null }));
}

/** Archives a locked todo with its sub-todos. Returns it as it is then. */
async function archive(ctx: Context, todo: TodoAnswer): Promise<TodoAnswer> {
  if (todo.isArchived) return todo;
  const [after] = await archiveWithSubTodos(ctx, [todo]);
  return after ?? todo;
}

/** The event of a chat whose todo was erased. */
export function leftByTodo({ id }: { id: string }): NewEvent {
  return { type: 'chat.updated', objectId: id, changedFields: ['todoId'] };
}

/** @throws Failure 409 when one of the todos has runs. */
function requireNoRuns(todo: TodoAnswer, subTodos: readonly TodoAnswer[]): void {
  if (todo.latestRun) throw conflict('An agent has run this todo, so it cannot be erased. Archive it instead.');
  if (subTodos.every(({ latestRun }) => latestRun === null)) return;
  throw conflict('An agent has run one of its sub-todos, so it cannot be erased. Archive it instead.');
}

/**
 * Erases a locked todo with its sub-todos: their chats stay, and an agent at work in one is stopped.
 * @throws Failure 409 when one of them has runs.
 */
async function erase(ctx: Context, todo: TodoAnswer): Promise<void> {
  const { workspaceId } = ctx.principal;
  const subTodos = await findBareTodos(ctx.db, workspaceId, await lockSubTodos(ctx.db, workspaceId, [todo.id], 'all'));
  requireNoRuns(todo, subTodos);
  const all = [...subTodos, todo];
  const todoIds = all.map(({ id }) => id);
  await closeChats(ctx, { workspaceId, todoIds });
  const inChats = and(eq(chats.workspaceId, workspaceId), inArray(chats.todoId, todoIds));
  const left = await ctx.db.orm.update(chats).set({ todoId: null }).where(inChats).returning({ id: chats.id });
  const within = await erasureOfContents(ctx.db, workspaceId, todoIds);
  await ctx.db.orm.delete(todos).where(and(eq(todos.workspaceId, workspaceId), inArray(todos.id, todoIds)));
  const notices = await eraseNotifications(ctx.db, workspaceId, 'todos', todoIds);
  await recordEvents(ctx.db, workspaceId, left.map(leftByTodo));
  const deleted = all.map((each) => ({
    type: 'todo.deleted' as const,
    objectId: each.id,
    parents: todoParents(each),
  }));
  await recordErasure(ctx.db, workspaceId, [...within, ...deleted, ...notices]);
}

/**
 * Archives a todo with its sub-todos, or erases them when `permanent`.
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

/** Archives a todo with its sub-todos and returns it. @throws Failure 404, 412. */
export function archiveTodo(ctx: Context, { todoId }: { todoId: string }) {
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const before = await lockTodo(tx, todoId);
    return { todo: await archive(tx, before), alreadyArchived: before.isArchived };
  });
}

/**
 * Restores an archived todo, its schedule, and the sub-todos that were archived with it; an active one is unchanged.
 * @throws Failure 404, 412.
 */
export function restoreTodo(ctx: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const todo = await lockTodo({ ...ctx, db }, todoId);
    if (!todo.isArchived) return todo;
    const ids = [todo.id, ...(await lockSubTodos(db, workspaceId, [todo.id], 'archivedTogether'))];
    const before = await findBareTodos(db, workspaceId, ids);
    await db.rows(restore, [workspaceId, ids]);
    await settleSchedules(db, workspaceId, ids, ctx.clock());
    const after = await recordTodoChanges(db, workspaceId, before, await findBareTodos(db, workspaceId, ids));
    return { ...todo, ...after.find(({ id }) => id === todo.id), content: todo.content };
  });
}
