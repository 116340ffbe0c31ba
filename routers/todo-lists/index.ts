import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { DeletedResource, Id, listOf, wholeList } from '../fields.ts';
import { createTodoList, deleteTodoList, findTodoList, listTodoLists, updateTodoList } from './rows.ts';
import { Color, Emoji, ListName, TodoList } from './shapes.ts';

export const todoLists = router({
  list: procedure
    .meta(
      op('GET /todo-lists', {
        id: 'listTodoLists',
        scope: 'todos:read',
        summary: 'List the todo lists',
      }),
    )
    .input(z.strictObject({ includeArchived: z.boolean().default(false).describe('Also list archived ones.') }))
    .output(listOf(TodoList, 'TodoListPage'))
    .query(async ({ ctx, input }) =>
      wholeList(await listTodoLists(ctx.db, principalOf(ctx).workspaceId, input.includeArchived)),
    ),

  create: procedure
    .meta(
      op('POST /todo-lists', {
        id: 'createTodoList',
        scope: 'todos:write',
        summary: 'Create a todo list',
        status: 201,
        keyed: true,
        etag: true,
      }),
    )
    .input(
      z
        .strictObject({ name: ListName, emoji: Emoji.optional(), color: Color.optional() })
        .meta({ id: 'TodoListCreateParams' }),
    )
    .output(TodoList)
    .mutation(({ ctx, input }) => createTodoList(ctx.db, principalOf(ctx).workspaceId, input)),

  get: procedure
    .meta(
      op('GET /todo-lists/{todoListId}', {
        id: 'getTodoList',
        scope: 'todos:read',
        summary: 'Get a todo list',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(TodoList)
    .query(({ ctx, input }) => findTodoList(ctx.db, principalOf(ctx).workspaceId, input.todoListId)),

  update: procedure
    .meta(
      op('PATCH /todo-lists/{todoListId}', {
        id: 'updateTodoList',
        scope: 'todos:write',
        summary: 'Rename, recolour, archive or restore a todo list',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(
      z
        .strictObject({
          todoListId: Id,
          name: ListName.optional(),
          emoji: Emoji.nullable().optional(),
          color: Color.nullable().optional(),
          archived: z.boolean().optional().describe('True archives the list, false restores it.'),
        })
        .meta({ id: 'TodoListUpdateParams' }),
    )
    .output(TodoList)
    .mutation(({ ctx, input: { todoListId, ...changes } }) =>
      updateTodoList(ctx.db, principalOf(ctx).workspaceId, todoListId, changes, ctx.ifMatch),
    ),

  delete: procedure
    .meta(
      op('DELETE /todo-lists/{todoListId}', {
        id: 'deleteTodoList',
        scope: 'todos:write',
        summary: 'Delete an empty todo list',
        description: 'Refused with 409 for the default list and for a list that holds todos, archived ones included.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input: { todoListId } }) =>
      deleteTodoList(ctx.db, principalOf(ctx).workspaceId, todoListId, ctx.ifMatch),
    ),
});
