import { listRuns } from '../domain/todos/list-runs.ts';
import { TodoRunPage, WorkspaceRunListing } from '../domain/todos/run-shapes.ts';
import { op, procedure, router } from './base.ts';

export const runs = router({
  list: procedure
    .meta(
      op('GET /runs', {
        id: 'listRuns',
        scope: 'todos:read',
        summary: 'List the agent runs of all todos',
        description:
          'Lists what agents did and do in the workspace, the most recently started run first. Filter with `status=running` for those at work now, and by agent, by what started them and by time. The runs of one todo are in listTodoRuns, their messages in listMessages with the `chatId` of the run. Pages by cursor.',
        sample: { status: 'running', limit: 10 },
      }),
    )
    .input(WorkspaceRunListing)
    .output(TodoRunPage)
    .query(({ ctx, input }) => listRuns(ctx, input)),
});
