import { z } from 'zod';
import { DeletedResource, Id } from '../domain/fields.ts';
import { deleteTodo, restoreTodo } from '../domain/todos/archive.ts';
import { bulkUpdateTodos } from '../domain/todos/bulk.ts';
import { TodoBulkUpdate } from '../domain/todos/bulk-shapes.ts';
import { batchCreateTodos, createTodo } from '../domain/todos/create.ts';
import { isPlainBody } from '../domain/todos/create-plain.ts';
import { duplicateTodo } from '../domain/todos/duplicate.ts';
import { listTodos } from '../domain/todos/list.ts';
import { TodoFilters, TodoListing } from '../domain/todos/listing-shapes.ts';
import { moveTodo } from '../domain/todos/move.ts';
import { getTodo } from '../domain/todos/rows.ts';
import { Todo, TodoBatchCreate, TodoCreate, TodoPage, TodoSummary, TodoUpdate } from '../domain/todos/shapes.ts';
import { summariseTodos } from '../domain/todos/summary.ts';
import { updateTodo } from '../domain/todos/update.ts';
import { op, procedure, router } from './base.ts';
import { changesTodo, erasesTodos, startsAgents } from './event-types.ts';
import { reminderOperations } from './reminders.ts';
import { scheduleOperations } from './schedules.ts';
import { todoCommentOperations } from './todo-comments.ts';
import { todoRunOperations } from './todo-runs.ts';

export const todos = router({
  list: procedure
    .meta(
      op('GET /todos', {
        id: 'listTodos',
        scope: 'todos:read',
        summary: 'List todos',
        description:
          'Returns todos page by page: the active ones by default, without suggestions that were not accepted. Filters combine with AND, and several values of one filter with OR; `includeArchived` lists the archived ones instead. `parentTodoId` lists the sub-todos of a todo. With `ids` it reads up to 100 todos at once. Pass `nextCursor` as `cursor` for the next page. Use summariseTodos for counts alone, and getTodo for the planned times of a schedule.',
        sample: { status: 'active', sort: 'priority', limit: 10 },
        strictQuery: true,
        heavy: 'share',
      }),
    )
    .input(TodoListing)
    .output(TodoPage)
    .query(({ ctx, input }) => listTodos(ctx, input)),

  create: procedure
    .meta(
      op('POST /todos', {
        id: 'createTodo',
        scope: 'todos:write',
        summary: 'Create a todo',
        description:
          'Creates one todo from a title, a content, or both; without `assignees` it is yours. With an agent as assignee and `run`, the agent starts at once and spends agent minutes; with a `schedule`, it starts at each planned time. `parentTodoId` makes it a sub-todo. Use batchCreateTodos for several at once, and an `Idempotency-Key` so that a retry makes no second one.',
        sample: { title: 'Write the report', priority: 'high', dueDate: '2027-01-15' },
        status: 201,
        keyed: true,
        claims: isPlainBody,
        etag: true,
        statuses: [402, 404, 409],
        events: ['todo.created', ...startsAgents],
      }),
    )
    .input(TodoCreate)
    .output(Todo)
    .mutation(({ ctx, input }) => createTodo(ctx, input)),

  summary: procedure
    .meta(
      op('GET /todos/summary', {
        id: 'summariseTodos',
        scope: 'todos:read',
        summary: 'Count todos by status and priority',
        description:
          'Takes the filters of listTodos and counts the same todos, by status and by priority, with the sum of the minutes saved. Use it instead of paging through a list when you need only numbers.',
        sample: { dueBefore: '2027-01-31' },
        strictQuery: true,
      }),
    )
    .input(TodoFilters)
    .output(TodoSummary)
    .query(({ ctx, input }) => summariseTodos(ctx, input)),

  createBatch: procedure
    .meta(
      op('POST /todos/batch', {
        id: 'batchCreateTodos',
        scope: 'todos:write',
        summary: 'Create up to 50 todos, all or none',
        description:
          'Creates the todos in one transaction and returns them in the order of `data`: when one of them is refused, none is made, and `param` names it, such as `data[3].dueDate`. Each takes the fields of createTodo, `run` and `schedule` included. A todo and its sub-todos can be created at once: give the todo an `id`, and name it as `parentTodoId`.',
        sample: {
          data: [
            { title: 'Book the room', dueDate: '2027-01-15' },
            { title: 'Order the flowers', priority: 'low' },
          ],
        },
        keyed: true,
        statuses: [402, 404, 409],
        events: ['todo.created', ...startsAgents],
      }),
    )
    .input(TodoBatchCreate)
    .output(TodoPage)
    .mutation(({ ctx, input }) => batchCreateTodos(ctx, input)),

  bulkUpdate: procedure
    .meta(
      op('POST /todos/bulk', {
        id: 'bulkUpdateTodos',
        scope: 'todos:write',
        summary: 'Change or archive many todos, all or none',
        description:
          'Applies one `patch` with the fields of updateTodo to up to 100 todos by their `ids`, or to all that `where` matches, or archives them with `archive`, in one transaction: when one todo is unknown, nothing changes. With `where`, which needs the scope `todos:read` too, `totalCount` is how many matched before the call; `expectedCount` refuses another number with 409. Todos are archived with their sub-todos. `dryRun` returns the todos as they would be and starts no agent. What happens beside is that of updateTodo, for each todo.',
        sample: { ids: ['019ca8a0-3e80-7602-8fae-580f5863abfb'], patch: { priority: 'low' } },
        statuses: [402, 404, 409],
        events: [...changesTodo, 'todo.archived'],
        heavy: 'inTurn',
      }),
    )
    .input(TodoBulkUpdate)
    .output(TodoPage)
    .mutation(({ ctx, input }) => bulkUpdateTodos(ctx, input)),

  get: procedure
    .meta(
      op('GET /todos/{todoId}', {
        id: 'getTodo',
        scope: 'todos:read',
        summary: 'Get a todo',
        description:
          'Returns one todo with its assignees, its schedule, up to five planned times (`upcomingRuns`) and its latest run. An archived todo can be read too. The earlier runs are in listTodoRuns, the messages of a run in listMessages with the `chatId` of the run.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(Todo)
    .query(({ ctx, input }) => getTodo(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /todos/{todoId}', {
        id: 'updateTodo',
        scope: 'todos:write',
        summary: 'Change a todo',
        description:
          'Changes the fields that you send; omitted ones keep their values, and `null` clears one. `parentTodoId` makes it a sub-todo of another todo; there is one level of them. A newly assigned agent starts at once, or when its working hours begin; of several agents, the first one starts. The status `done` stops agents that work on the todo and ends its schedule until the todo is reopened with `ready`; its sub-todos stay as they are. Use bulkUpdateTodos for several todos, and updateTodoOccurrence to tick off one time of a recurring one.',
        sample: { status: 'done' },
        etag: true,
        statuses: [402, 404],
        events: [...changesTodo],
      }),
    )
    .input(TodoUpdate.extend({ todoId: Id }).meta({ id: 'TodoUpdateParams' }))
    .output(Todo)
    .mutation(({ ctx, input }) => updateTodo(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /todos/{todoId}', {
        id: 'deleteTodo',
        scope: 'todos:write',
        summary: 'Archive a todo, or erase it for good',
        description:
          'Archives the todo with its sub-todos: they leave the lists, their schedules stop, and restoreTodo brings them back. With `permanent=true` they are erased for good; a todo that an agent has run, or one of whose sub-todos it has, cannot be erased (409). To finish a todo instead, set its status to `done` with updateTodo.',
        etag: true,
        statuses: [404, 409],
        events: ['todo.archived', ...erasesTodos],
      }),
    )
    .input(z.strictObject({ todoId: Id, permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteTodo(ctx, input)),

  restore: procedure
    .meta(
      op('POST /todos/{todoId}/restore', {
        id: 'restoreTodo',
        scope: 'todos:write',
        summary: 'Bring an archived todo back',
        description:
          'Brings an archived todo back with its assignees and its list, and the sub-todos that were archived together with it; a schedule continues with its next planned time in the future. An active todo is returned unchanged, and an erased one is not found.',
        etag: true,
        statuses: [404, 412],
        events: ['todo.restored'],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(Todo)
    .mutation(({ ctx, input }) => restoreTodo(ctx, input)),

  duplicate: procedure
    .meta(
      op('POST /todos/{todoId}/duplicate', {
        id: 'duplicateTodo',
        scope: 'todos:write',
        summary: 'Duplicate a todo',
        description:
          'Creates a copy of a todo, active or archived: `ready`, with its text, priority, type, list, due date, labels and assignees. Its schedule, reminders, sub-todos, comments and runs are not copied, and no agent starts; use runTodo on the copy for that. Archived agents, removed members and an archived list are left out. Use an `Idempotency-Key` so that a retry makes no second copy.',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [404, 409],
        events: ['todo.created'],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(Todo)
    .mutation(({ ctx, input }) => duplicateTodo(ctx, input)),

  move: procedure
    .meta(
      op('POST /todos/{todoId}/move', {
        id: 'moveTodo',
        scope: 'todos:write',
        summary: 'Move a todo in the manual order',
        description:
          'Places a todo directly `after` or directly `before` another one in the manual order, which is the same for all lists of the workspace: listTodos with `sort=position` and `order=asc` returns it. A todo that was never moved has its place by its time of creation, the newest last. To move it to another list, use updateTodo. A todo that is there already is unchanged.',
        sample: { after: '019ca8a0-3e80-7602-8fae-580f5863abfb' },
        etag: true,
        statuses: [404, 412],
        events: ['todo.updated'],
      }),
    )
    .input(
      z.strictObject({
        todoId: Id,
        after: Id.optional().describe('The todo after which it comes. Give this or `before`.'),
        before: Id.optional().describe('The todo before which it comes.'),
      }),
    )
    .output(Todo)
    .mutation(({ ctx, input }) => moveTodo(ctx, input)),

  ...todoRunOperations,
  ...todoCommentOperations,
  ...reminderOperations,
  ...scheduleOperations,
});
