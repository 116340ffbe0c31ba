import { op, principalOf, procedure, router } from '../base.ts';
import { usageOf } from './rows.ts';
import { Usage, UsageQuery } from './shapes.ts';

export const usage = router({
  get: procedure
    .meta(
      op('GET /usage', {
        id: 'getUsage',
        access: 'reader',
        summary: 'What agents used of the workspace’s minutes',
        description: 'By day, agent and trigger. Days are those of the workspace’s time zone.',
      }),
    )
    .input(UsageQuery)
    .output(Usage)
    .query(({ ctx, input }) => usageOf(ctx.db, principalOf(ctx).workspaceId, ctx.clock(), input)),
});
