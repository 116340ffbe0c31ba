import { z } from 'zod';
import { type Context, principalOf } from '../base.ts';
import { Id } from '../fields.ts';
import { tool, toolProcedure } from '../tool.ts';
import { deleteTodo, restoreTodo } from './archive.ts';
import { createTodos } from './create.ts';
import { findTodo, lockTodos } from './rows.ts';
import { Todo, type TodoAnswer, type TodoPatch } from './shapes.ts';
import { assigneeIds, CreateArguments, listId, UpdateArguments } from './tool-arguments.ts';
import { updateTodo } from './update.ts';

const todoId = Id.describe('Id of the todo.');
const One = z.strictObject({ todoId });
const rest = 'Call get_todo with contentOffset = the number of characters you already have.';
const write = { scopes: ['todos:write' as const], rest };

/** Changes a todo to what `patchFor` says of it as it stands; undefined leaves it alone. @throws Failure 404. */
function settle(ctx: Context, id: string, patchFor: (todo: TodoAnswer) => TodoPatch | undefined) {
  const principal = principalOf(ctx);
  return ctx.db.transaction(async (db) => {
    await lockTodos(db, principal.workspaceId, [id]);
    const todo = await findTodo(db, principal.workspaceId, id);
    const patch = patchFor(todo);
    return { todo: patch ? await updateTodo({ ...ctx, db }, principal, id, patch) : todo };
  });
}

export const todoTools = {
  create_todo: toolProcedure
    .meta(
      tool('create_todo', {
        title: 'Create a todo',
        description:
          'Creates a todo from a title, a content or both. Assigned to the owner of the credential unless assignees says otherwise.',
        ...write,
      }),
    )
    .input(CreateArguments)
    .output(z.object({ todo: Todo }))
    .mutation(async ({ ctx, input }) => {
      const principal = principalOf(ctx);
      const todoListId = await listId(ctx.db, principal.workspaceId, input.todoListId);
      const assignees = await assigneeIds(ctx.db, principal.workspaceId, input.assignees);
      const [todo] = await createTodos(ctx, principal, [{ ...input, todoListId, assignees }]);
      if (!todo) throw new Error('createTodos returned nothing');
      return { todo };
    }),

  update_todo: toolProcedure
    .meta(
      tool('update_todo', {
        title: 'Change a todo',
        description: 'Changes only the fields that are given. Null clears a field that can be empty.',
        ...write,
      }),
    )
    .input(UpdateArguments.extend({ todoId }))
    .output(z.object({ todo: Todo }))
    .mutation(async ({ ctx, input: { todoId: id, ...given } }) => {
      const principal = principalOf(ctx);
      const todoListId = await listId(ctx.db, principal.workspaceId, given.todoListId);
      const assignees = await assigneeIds(ctx.db, principal.workspaceId, given.assignees);
      return { todo: await updateTodo(ctx, principal, id, { ...given, todoListId, assignees }) };
    }),

  complete_todo: toolProcedure
    .meta(
      tool('complete_todo', {
        title: 'Complete a todo',
        description: 'Sets the status to done.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(z.object({ todo: Todo }))
    .mutation(({ ctx, input }) =>
      settle(ctx, input.todoId, ({ status }) => (status === 'done' ? undefined : { status: 'done' })),
    ),

  reopen_todo: toolProcedure
    .meta(
      tool('reopen_todo', {
        title: 'Reopen a todo',
        description: 'Sets the status of a done todo to ready. One that is still open stays as it is.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(z.object({ todo: Todo }))
    .mutation(({ ctx, input }) =>
      settle(ctx, input.todoId, ({ status }) => (status === 'done' ? { status: 'ready' } : undefined)),
    ),

  archive_todo: toolProcedure
    .meta(
      tool('archive_todo', {
        title: 'Archive a todo',
        description: 'Takes a todo off the lists. It can still be read, and unarchive_todo brings it back.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(z.object({ todo: Todo, alreadyArchived: z.boolean() }))
    .mutation(({ ctx, input }) =>
      ctx.db.transaction(async (db) => {
        const { workspaceId } = principalOf(ctx);
        const deleted = await deleteTodo({ ...ctx, db }, workspaceId, input.todoId, false);
        const alreadyArchived = 'alreadyArchived' in deleted && deleted.alreadyArchived;
        return { todo: await findTodo(db, workspaceId, input.todoId), alreadyArchived };
      }),
    ),

  unarchive_todo: toolProcedure
    .meta(
      tool('unarchive_todo', {
        title: 'Bring a todo back',
        description: 'Restores an archived todo to the lists. One that is not archived stays as it is.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(z.object({ todo: Todo }))
    .mutation(async ({ ctx, input }) => ({
      todo: await restoreTodo(ctx, principalOf(ctx).workspaceId, input.todoId),
    })),
};
