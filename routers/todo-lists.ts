import { z } from 'zod';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { listTodoLists } from '../domain/todo-lists/list.ts';
import { getTodoList } from '../domain/todo-lists/rows.ts';
import { TodoList, TodoListCreate, TodoListUpdate } from '../domain/todo-lists/shapes.ts';
import { createTodoList, deleteTodoList, updateTodoList } from '../domain/todo-lists/update.ts';
import { op, procedure, router } from './base.ts';

export const todoLists = router({
  list: procedure
    .meta(
      op('GET /todo-lists', {
        id: 'listTodoLists',
        scope: 'todos:read',
        summary: 'List the todo lists',
        description:
          'Returns all lists in one page, the default list first, with the number of todos in each. Archived lists are left out unless `includeArchived` is true. The todos of a list are in listTodos with `todoListId`.',
      }),
    )
    .input(z.strictObject({ includeArchived: z.boolean().default(false).describe('Also list archived ones.') }))
    .output(listOf(TodoList, 'TodoListPage'))
    .query(({ ctx, input }) => listTodoLists(ctx, input)),

  create: procedure
    .meta(
      op('POST /todo-lists', {
        id: 'createTodoList',
        scope: 'todos:write',
        summary: 'Create a todo list',
        description:
          'Creates a list in which todos can be filed. Two lists may have the same name; look at listTodoLists first if you want only one. Todos that name no list go to the default list. A workspace has at most 1,000 lists, archived ones counted (409).',
        status: 201,
        keyed: true,
        etag: true,
        events: ['todo_list.created'],
      }),
    )
    .input(TodoListCreate)
    .output(TodoList)
    .mutation(({ ctx, input }) => createTodoList(ctx, input)),

  get: procedure
    .meta(
      op('GET /todo-lists/{todoListId}', {
        id: 'getTodoList',
        scope: 'todos:read',
        summary: 'Get a todo list',
        description:
          'Returns one list with its counts: all unarchived todos in it, and those still to do. An archived list can be read too. Its todos are in listTodos with `todoListId`.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(TodoList)
    .query(({ ctx, input }) => getTodoList(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /todo-lists/{todoListId}', {
        id: 'updateTodoList',
        scope: 'todos:write',
        summary: 'Rename, recolour, archive or restore a todo list',
        description:
          'Changes the name, emoji or colour of a list; omitted fields keep their values. `archived` hides the list or brings it back, and its todos stay as they are. The default list cannot be archived (409).',
        sample: { name: 'Household' },
        etag: true,
        statuses: [404, 409],
        events: ['todo_list.updated', 'todo_list.archived', 'todo_list.restored'],
      }),
    )
    .input(TodoListUpdate)
    .output(TodoList)
    .mutation(({ ctx, input }) => updateTodoList(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /todo-lists/{todoListId}', {
        id: 'deleteTodoList',
        scope: 'todos:write',
        summary: 'Delete an empty todo list',
        description:
          'Deletes a list for good. Refused with 409 for the default list and for a list that holds todos, archived ones included: move them with bulkUpdateTodos first, or archive the list with updateTodoList.',
        etag: true,
        statuses: [404, 409],
        events: ['todo_list.deleted'],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteTodoList(ctx, input)),
});
