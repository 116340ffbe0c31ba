import { op, principalOf, procedure } from '../base.ts';
import { listRuns } from './run-rows.ts';
import { RunListing, RunStart, TodoRun, TodoRunPage } from './run-shapes.ts';
import { runTodo } from './runs.ts';

export const todoRunOperations = {
  run: procedure
    .meta(
      op('POST /todos/{todoId}/runs', {
        id: 'runTodo',
        scope: 'todos:write',
        summary: 'Start an agent on a todo',
        description:
          'Answers at once; the agent works in the chat of the run. Refused with 409 while a run of the todo is running (`reason` is `already_running`), and for one that is done or archived.',
        status: 202,
        keyed: true,
        statuses: [402, 404, 409],
      }),
    )
    .input(RunStart.meta({ id: 'TodoRunParams' }))
    .output(TodoRun)
    .mutation(({ ctx, input }) => runTodo(ctx, principalOf(ctx), input)),

  listRuns: procedure
    .meta(
      op('GET /todos/{todoId}/runs', {
        id: 'listTodoRuns',
        scope: 'todos:read',
        summary: 'List the agent runs of a todo',
        description: 'The most recent first. Pages by cursor.',
        statuses: [404],
      }),
    )
    .input(RunListing)
    .output(TodoRunPage)
    .query(({ ctx, input }) => listRuns(ctx.db, principalOf(ctx).workspaceId, ctx.service.cursorKey, input)),
};
