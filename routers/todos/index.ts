import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { DeletedResource, Id } from '../fields.ts';
import { scheduleOperations } from '../schedules/operations.ts';
import { deleteTodo, restoreTodo } from './archive.ts';
import { bulkUpdate } from './bulk.ts';
import { createTodos } from './create.ts';
import { listTodos } from './list.ts';
import { findTodo } from './rows.ts';
import { todoRunOperations } from './run-operations.ts';
import { Todo, TodoCreate, TodoFilters, TodoListing, TodoPage, TodoSummary, TodoUpdate } from './shapes.ts';
import { summariseTodos } from './summary.ts';
import { updateTodo } from './update.ts';

const batch = { hasMore: false, nextCursor: null, totalCount: null };

export const todos = router({
  list: procedure
    .meta(
      op('GET /todos', {
        id: 'listTodos',
        scope: 'todos:read',
        summary: 'List todos',
        description: 'Active todos by default, suggestions that nobody accepted left out. Pages by cursor.',
        strictQuery: true,
      }),
    )
    .input(TodoListing)
    .output(TodoPage)
    .query(({ ctx, input }) => listTodos(ctx.db, principalOf(ctx), ctx.service.cursorKey, input)),

  create: procedure
    .meta(
      op('POST /todos', {
        id: 'createTodo',
        scope: 'todos:write',
        summary: 'Create a todo',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [402, 404, 409],
      }),
    )
    .input(TodoCreate)
    .output(Todo)
    .mutation(async ({ ctx, input }) => {
      const [todo] = await createTodos(ctx, principalOf(ctx), [input]);
      if (!todo) throw new Error('createTodos returned nothing');
      return todo;
    }),

  summary: procedure
    .meta(
      op('GET /todos/summary', {
        id: 'summariseTodos',
        scope: 'todos:read',
        summary: 'Count todos by status and priority',
        description: 'Takes the filters of listTodos and counts the same todos.',
        strictQuery: true,
      }),
    )
    .input(TodoFilters)
    .output(TodoSummary)
    .query(({ ctx, input }) => summariseTodos(ctx.db, principalOf(ctx), input)),

  createBatch: procedure
    .meta(
      op('POST /todos/batch', {
        id: 'batchCreateTodos',
        scope: 'todos:write',
        summary: 'Create up to 50 todos, all or none',
        keyed: true,
        statuses: [402, 404, 409],
      }),
    )
    .input(z.strictObject({ data: z.array(TodoCreate).min(1).max(50) }).meta({ id: 'TodoBatchCreateParams' }))
    .output(TodoPage)
    .mutation(async ({ ctx, input }) => {
      const data = await createTodos(ctx, principalOf(ctx), input.data, (index) => `data[${index}].`);
      return { object: 'list' as const, data, ...batch };
    }),

  bulkUpdate: procedure
    .meta(
      op('POST /todos/bulk', {
        id: 'bulkUpdateTodos',
        scope: 'todos:write',
        summary: 'Change or archive up to 100 todos, all or none',
        statuses: [402, 404],
      }),
    )
    .input(
      z
        .strictObject({
          ids: z.array(Id).min(1).max(100),
          patch: TodoUpdate.optional().meta({ description: 'What to change in each.', examples: [{ status: 'done' }] }),
          archive: z.literal(true).optional().describe('Archive them instead.'),
          dryRun: z.boolean().default(false).describe('Answer what would be, and change nothing.'),
        })
        .meta({ id: 'TodoBulkUpdateParams' }),
    )
    .output(TodoPage)
    .mutation(async ({ ctx, input }) => {
      const data = await bulkUpdate(ctx, principalOf(ctx), input);
      return { object: 'list' as const, data, ...batch };
    }),

  get: procedure
    .meta(
      op('GET /todos/{todoId}', {
        id: 'getTodo',
        scope: 'todos:read',
        summary: 'Get a todo',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(Todo)
    .query(({ ctx, input }) => findTodo(ctx.db, principalOf(ctx).workspaceId, input.todoId)),

  update: procedure
    .meta(
      op('PATCH /todos/{todoId}', {
        id: 'updateTodo',
        scope: 'todos:write',
        summary: 'Change a todo',
        description:
          'An agent that was not assigned before starts at once, or with its working hours; of several the first. The status done stops agents at work on the todo.',
        etag: true,
        statuses: [402, 404],
      }),
    )
    .input(TodoUpdate.extend({ todoId: Id }).meta({ id: 'TodoUpdateParams' }))
    .output(Todo)
    .mutation(({ ctx, input: { todoId, ...patch } }) => updateTodo(ctx, principalOf(ctx), todoId, patch, ctx.ifMatch)),

  delete: procedure
    .meta(
      op('DELETE /todos/{todoId}', {
        id: 'deleteTodo',
        scope: 'todos:write',
        summary: 'Archive a todo, or erase it for good',
        description: 'A todo that an agent has run cannot be erased (409).',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ todoId: Id, permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) =>
      deleteTodo(ctx, principalOf(ctx).workspaceId, input.todoId, input.permanent, ctx.ifMatch),
    ),

  restore: procedure
    .meta(
      op('POST /todos/{todoId}/restore', {
        id: 'restoreTodo',
        scope: 'todos:write',
        summary: 'Bring an archived todo back',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(Todo)
    .mutation(({ ctx, input }) => restoreTodo(ctx, principalOf(ctx).workspaceId, input.todoId)),

  ...todoRunOperations,
  ...scheduleOperations,
});
