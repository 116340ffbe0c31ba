import { z } from 'zod';
import { CommentText } from '../../domain/comments/shapes.ts';
import { createTodoComment } from '../../domain/comments/write.ts';
import type { Context } from '../../domain/context.ts';
import { Id } from '../../domain/fields.ts';
import { archiveTodo, restoreTodo } from '../../domain/todos/archive.ts';
import { completeTodo, reopenTodo } from '../../domain/todos/complete.ts';
import { createTodo } from '../../domain/todos/create.ts';
import { lockTodos } from '../../domain/todos/rows.ts';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { updateTodo } from '../../domain/todos/update.ts';
import { cleared } from './clearing.ts';
import { ShownTodo, shownTodo } from './todo-answers.ts';
import { assigneeIdsOf, CreateArguments, labelIdsOf, listIdOf, UpdateArguments } from './todo-arguments.ts';
import { tool, toolProcedure } from './tool.ts';

const todoId = Id.describe('Id of the todo.');
const comment = CommentText.optional().describe('Adds a comment for the people on the todo; Markdown.');
const One = z.strictObject({ todoId });
const Answer = z.object({ todo: ShownTodo });
const rest = 'Call get_todo with contentOffset = the number of characters you already have.';
const write = { scopes: ['todos:write' as const], rest };

async function answered(ctx: Context, work: Promise<TodoAnswer>): Promise<z.infer<typeof Answer>> {
  return { todo: await shownTodo(ctx, await work) };
}

export const todoTools = {
  create_todo: toolProcedure
    .meta(
      tool('create_todo', {
        title: 'Create a todo',
        description:
          'Create one todo; give a title, a content or both. To change one that exists, use update_todo. An assigned agent starts only with run: true, or at the times of schedule. Example: {"title":"Send the offer","dueDate":"2026-03-06","priority":"high","assignees":[{"id":"me"}]}.',
        ...write,
      }),
    )
    .input(CreateArguments)
    .output(Answer)
    .mutation(async ({ ctx, input }) => {
      const todoListId = await listIdOf(ctx, input.todoListId);
      const assignees = await assigneeIdsOf(ctx, input.assignees);
      const labelIds = await labelIdsOf(ctx, input.labelIds, 'labelIds');
      return answered(ctx, createTodo(ctx, { ...input, todoListId, assignees, labelIds }));
    }),

  update_todo: toolProcedure
    .meta(
      tool('update_todo', {
        title: 'Change a todo',
        description:
          'Change the given fields of one todo; omitted ones are unchanged, clear empties fields. Use it to move, reschedule, rename, label and reassign. Adding an agent to assignees starts it, in its working hours, and spends agent minutes. Example, to Friday and without a priority: {"todoId":"…","dueDate":"2026-03-06","clear":["priority"]}.',
        ...write,
      }),
    )
    .input(UpdateArguments.extend({ todoId, comment }))
    .output(Answer)
    .mutation(async ({ ctx, input: { comment: text, ...input } }) => {
      const todoListId = await listIdOf(ctx, input.todoListId);
      const assignees = await assigneeIdsOf(ctx, input.assignees);
      const addLabelIds = await labelIdsOf(ctx, input.addLabelIds, 'addLabelIds');
      const removeLabelIds = await labelIdsOf(ctx, input.removeLabelIds, 'removeLabelIds');
      const patch = { ...cleared(input), todoListId, assignees, addLabelIds, removeLabelIds };
      if (text === undefined) return answered(ctx, updateTodo(ctx, patch));
      return ctx.db.transaction(async (db) => {
        const tx = { ...ctx, db };
        const { todoId, parentTodoId } = patch;
        await lockTodos(db, ctx.principal.workspaceId, [todoId, ...(parentTodoId ? [parentTodoId] : [])]);
        // Before the change, which may end with an erasure: no lock is taken after that.
        await createTodoComment(tx, { todoId, text, mentions: [] });
        return answered(tx, updateTodo(tx, patch));
      });
    }),

  complete_todo: toolProcedure
    .meta(
      tool('complete_todo', {
        title: 'Complete a todo',
        description:
          'Set the status to done. This also ends its schedule, stops agents at work on it and closes its chats, until it is reopened. To hide a todo that is not done, use archive_todo. Example: {"todoId":"…"} of a row of list_todos.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(Answer)
    .mutation(({ ctx, input }) => answered(ctx, completeTodo(ctx, input))),

  reopen_todo: toolProcedure
    .meta(
      tool('reopen_todo', {
        title: 'Reopen a todo',
        description:
          'Set a done todo to ready; its schedule continues at its next time. A todo that is not done is unchanged. For an archived todo, use unarchive_todo. Example: {"todoId":"…"}.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(Answer)
    .mutation(({ ctx, input }) => answered(ctx, reopenTodo(ctx, input))),

  archive_todo: toolProcedure
    .meta(
      tool('archive_todo', {
        title: 'Archive a todo',
        description:
          'Take a todo off the lists and stop its schedule, without completing it; use it for “delete” and “drop”. It can still be read, and unarchive_todo brings it back. Example: {"todoId":"…"}.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(Answer.extend({ alreadyArchived: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      const { todo, alreadyArchived } = await archiveTodo(ctx, input);
      return { todo: await shownTodo(ctx, todo), alreadyArchived };
    }),

  unarchive_todo: toolProcedure
    .meta(
      tool('unarchive_todo', {
        title: 'Bring a todo back',
        description:
          'Bring an archived todo back to the lists, with its schedule. An active todo is unchanged. To find it: list_todos with includeArchived. Example: {"todoId":"…"}.',
        idempotent: true,
        ...write,
      }),
    )
    .input(One)
    .output(Answer)
    .mutation(({ ctx, input }) => answered(ctx, restoreTodo(ctx, input))),
};
