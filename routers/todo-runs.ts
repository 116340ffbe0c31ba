import { listTodoRuns } from '../domain/todos/list-runs.ts';
import { RunListing, RunStart, TodoRun, TodoRunPage } from '../domain/todos/run-shapes.ts';
import { runTodo } from '../domain/todos/runs.ts';
import { op, procedure } from './base.ts';
import { startsAgents, stopsAgents } from './event-types.ts';

export const todoRunOperations = {
  run: procedure
    .meta(
      op('POST /todos/{todoId}/runs', {
        id: 'runTodo',
        scope: 'todos:write',
        summary: 'Start an agent on a todo',
        description:
          'Starts an agent on a todo and returns at once: the agent works in the chat of the run (`chatId`). Without `agentId` the first agent among the assignees works, or else the default agent. Follow the work with streamChat, or poll getTodo until `latestRun.status` is no longer `running`. Refused with 409 while a run of the todo is running (`reason` is `already_running`; one that waits for working hours is cancelled instead), and if the todo is done or archived.',
        sample: { message: 'Keep it to one page.' },
        status: 202,
        keyed: true,
        statuses: [402, 404, 409],
        events: ['todo.updated', ...startsAgents, ...stopsAgents],
      }),
    )
    .input(RunStart.meta({ id: 'TodoRunParams' }))
    .output(TodoRun)
    .mutation(({ ctx, input }) => runTodo(ctx, input)),

  listRuns: procedure
    .meta(
      op('GET /todos/{todoId}/runs', {
        id: 'listTodoRuns',
        scope: 'todos:read',
        summary: 'List the agent runs of a todo',
        description:
          'Lists the runs of a todo, the most recent first, with what started each, its outcome, its summary and the agent minutes it used. Pages by cursor. The latest run alone is also in getTodo.',
        sample: { limit: 10 },
        statuses: [404],
      }),
    )
    .input(RunListing)
    .output(TodoRunPage)
    .query(({ ctx, input }) => listTodoRuns(ctx, input)),
};
