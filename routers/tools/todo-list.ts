import { z } from 'zod';
import { Id } from '../../domain/fields.ts';
import { IdOrName } from '../../domain/names.ts';
import { listTodos } from '../../domain/todos/list.ts';
import { TodoListing } from '../../domain/todos/listing-shapes.ts';
import { priorities, Todo, type TodoAnswer, TodoSummary } from '../../domain/todos/shapes.ts';
import { summariseTodos } from '../../domain/todos/summary.ts';
import { ToolFields, withListNames } from './todo-answers.ts';
import { assigneeIdOf, labelIdOf, listIdOf } from './todo-arguments.ts';
import { ToolLimit, tool, toolProcedure } from './tool.ts';

/** Assignees shown in a row; the others are counted. */
const maxAssignees = 3;

/** A todo as a row of a list: the fields needed to choose among todos. */
const BriefTodo = Todo.pick({
  object: true,
  id: true,
  title: true,
  status: true,
  priority: true,
  type: true,
  todoListId: true,
  dueDate: true,
  parentTodoId: true,
  scheduleStatus: true,
  nextRunAt: true,
  updatedAt: true,
}).extend({
  ...ToolFields.shape,
  /** The beginning of the content where there is no title. */
  content: z.string().nullable(),
  assignees: z.array(z.object({ type: z.enum(['user', 'agent']), id: Id, name: z.string() })),
  moreAssignees: z.int().nullable(),
  labels: z.array(z.string()).nullable().describe('Names.'),
});

type Row = z.infer<typeof BriefTodo>;

function briefly({
  assignees,
  labels,
  content,
  ...todo
}: Omit<TodoAnswer, keyof z.infer<typeof ToolFields>> & z.infer<typeof ToolFields>): Row {
  return {
    ...todo,
    content: todo.title === null ? content : null,
    assignees: assignees.slice(0, maxAssignees),
    moreAssignees: assignees.length > maxAssignees ? assignees.length - maxAssignees : null,
    labels: labels.length > 0 ? labels.map(({ name }) => name) : null,
  };
}

const { shape } = TodoListing;

const Arguments = TodoListing.omit({
  ids: true,
  archived: true,
  isSuggested: true,
  scheduleStatus: true,
  hasRun: true,
  hasParent: true,
  include: true,
}).extend({
  type: shape.type.describe('As in create_todo.'),
  status: z.enum(['ready', 'in_progress', 'done', 'active']).optional().describe('active: not done.'),
  priority: z
    .enum([...priorities, 'none'])
    .optional()
    .describe('none: without a priority.'),
  todoListId: IdOrName.optional().describe('Id or name of a list.'),
  captureId: shape.captureId.describe('Id of a capture; also shows its suggestions.'),
  assigneeId: IdOrName.optional().describe('me, or an id or name.'),
  labelId: IdOrName.optional().describe('Id or name of a label.'),
  assignedToMe: shape.assignedToMe.describe('True: as assigneeId me.'),
  unassigned: shape.unassigned.describe('True: nobody is assigned.'),
  includeArchived: shape.includeArchived.describe('True: archived todos INSTEAD of the others.'),
  parentTodoId: shape.parentTodoId.describe('Only its sub-todos.'),
  updatedSince: shape.updatedSince.describe('Changed at or after.'),
  createdSince: shape.createdSince.describe('Created at or after.'),
  dueBefore: shape.dueBefore.describe('Due on this day or before, YYYY-MM-DD.'),
  dueAfter: shape.dueAfter.describe('Due on this day or after.'),
  query: shape.query.describe('Words that all occur in title or content.'),
  limit: ToolLimit,
  sort: shape.sort.describe('Omitted: createdAt.'),
  order: shape.order.removeDefault().optional().describe('Omitted: desc; asc for position.'),
});

export const todoListTool = {
  list_todos: toolProcedure
    .meta(
      tool('list_todos', {
        title: 'List todos',
        description:
          'Find and count todos: brief rows, summary of all that the filters match, workspaceSummary of all that are not archived. Use it to find the id of a todo that a person names (query); get_todo shows its content. Example, due this week: {"status":"active","dueAfter":"2026-03-02","dueBefore":"2026-03-08","sort":"dueDate","order":"asc"}. Finished since yesterday: {"status":"done","updatedSince":"2026-03-05T00:00:00+01:00"}; compare updatedAt of the rows.',
        scopes: ['todos:read'],
        readOnly: true,
        maxText: 200,
        rest: 'Call get_todo with the id of the row.',
      }),
    )
    .input(Arguments)
    .output(
      z.object({
        data: z.array(BriefTodo),
        hasMore: z.boolean(),
        nextCursor: z.string().nullable(),
        summary: TodoSummary,
        workspaceSummary: TodoSummary,
      }),
    )
    .query(async ({ ctx, input: { limit, cursor, sort, order: wanted, ...given } }) => {
      const order = wanted ?? (sort === 'position' ? 'asc' : 'desc');
      const todoListId = await listIdOf(ctx, given.todoListId);
      const assigneeId = given.assigneeId && (await assigneeIdOf(ctx, given.assigneeId, 'assigneeId'));
      const labelId = await labelIdOf(ctx, given.labelId, 'labelId');
      const filter = { ...given, todoListId, assigneeId, labelId };
      const [page, summary, workspaceSummary] = await Promise.all([
        listTodos(ctx, { ...filter, limit, cursor, sort, order }),
        summariseTodos(ctx, filter),
        summariseTodos(ctx, {}),
      ]);
      const rows = await withListNames(ctx, page.data);
      return { ...page, data: rows.map(briefly), summary, workspaceSummary };
    }),
};
