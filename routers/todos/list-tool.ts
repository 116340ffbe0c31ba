import { z } from 'zod';
import { principalOf } from '../base.ts';
import { Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { ToolLimit, tool, toolProcedure } from '../tool.ts';
import { listTodos } from './list.ts';
import { Todo, type TodoAnswer, TodoListing, TodoSummary } from './shapes.ts';
import { summariseTodos } from './summary.ts';
import { listId } from './tool-arguments.ts';

const mostAssignees = 3;

/** A todo as a row of a list: what one needs to choose among todos. */
const BriefTodo = Todo.pick({
  object: true,
  id: true,
  title: true,
  status: true,
  priority: true,
  type: true,
  todoListId: true,
  dueDate: true,
  scheduleStatus: true,
  nextRunAt: true,
  updatedAt: true,
}).extend({
  /** The beginning of the content where there is no title. */
  content: z.string().nullable(),
  assignees: z.array(z.object({ type: z.enum(['user', 'agent']), id: Id, name: z.string() })),
  moreAssignees: z.int().nullable(),
});

type Row = z.infer<typeof BriefTodo>;

function briefly({ assignees, content, ...todo }: TodoAnswer): Row {
  return {
    ...todo,
    content: todo.title === null ? content : null,
    assignees: assignees.slice(0, mostAssignees),
    moreAssignees: assignees.length > mostAssignees ? assignees.length - mostAssignees : null,
  };
}

const { shape } = TodoListing;

const Arguments = TodoListing.omit({ include: true }).extend({
  type: shape.type.describe('A task is done once; a responsibility stands or recurs.'),
  todoListId: IdOrName.optional().describe('Id or name of a list.'),
  assigneeId: IdOrName.optional().describe('Id or name of a member or an agent.'),
  limit: ToolLimit,
  sort: shape.sort.describe('What to sort by.'),
});

export const todoListTool = {
  list_todos: toolProcedure
    .meta(
      tool('list_todos', {
        title: 'List todos',
        description:
          'Lists todos that are not archived as brief rows, with counts: summary of what the filters match, workspaceSummary of all. get_todo shows one whole.',
        scopes: ['todos:read'],
        readOnly: true,
        longestText: 200,
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
    .query(async ({ ctx, input: { limit, cursor, sort, order, ...given } }) => {
      const asker = principalOf(ctx);
      const { workspaceId } = asker;
      const todoListId = await listId(ctx.db, workspaceId, given.todoListId);
      const assigneeId =
        given.assigneeId && (await idOf(ctx.db, workspaceId, 'member or agent', given.assigneeId, 'assigneeId'));
      const filter = { ...given, todoListId, assigneeId };
      const [page, summary, workspaceSummary] = await Promise.all([
        listTodos(ctx.db, asker, ctx.service.cursorKey, { ...filter, limit, cursor, sort, order }),
        summariseTodos(ctx.db, asker, filter),
        summariseTodos(ctx.db, asker, {}),
      ]);
      return { ...page, data: page.data.map(briefly), summary, workspaceSummary };
    }),
};
