import type { Context } from '../context.ts';
import { findTodo, lockTodos } from './rows.ts';
import type { TodoAnswer, TodoPatch } from './shapes.ts';
import { updateTodo } from './update.ts';

/** Updates a todo with the patch that `patchFor` makes of its current state; undefined changes nothing. */
function updateFrom(ctx: Context, todoId: string, patchFor: (todo: TodoAnswer) => TodoPatch | undefined) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    await lockTodos(db, workspaceId, [todoId]);
    const todo = await findTodo(db, workspaceId, todoId);
    const patch = patchFor(todo);
    return patch ? updateTodo({ ...ctx, db }, { ...patch, todoId }) : todo;
  });
}

/** Sets the status of a todo to done; a done one is unchanged. @throws Failure 404, 409 as `updateTodo`. */
export function completeTodo(ctx: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  return updateFrom(ctx, todoId, ({ status }) => (status === 'done' ? undefined : { status: 'done' }));
}

/** Sets the status of a done todo to ready; an open one is unchanged. @throws Failure 404. */
export function reopenTodo(ctx: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  return updateFrom(ctx, todoId, ({ status }) => (status === 'done' ? { status: 'ready' } : undefined));
}
