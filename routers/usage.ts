import { getUsage } from '../domain/usage/rows.ts';
import { Usage, UsageQuery } from '../domain/usage/shapes.ts';
import { op, procedure, router } from './base.ts';

export const usage = router({
  get: procedure
    .meta(
      op('GET /usage', {
        id: 'getUsage',
        access: 'reader',
        summary: 'Get the agent minutes used by the workspace',
        description:
          'Returns the agent minutes and turns that the workspace used from `from` to `to`, by day, by agent and by what started the work. Days are those of the workspace’s time zone. What is left is in getIdentity (`agentMinutesRemaining`).',
        sample: { from: '2026-11-01', to: '2026-11-30' },
      }),
    )
    .input(UsageQuery)
    .output(Usage)
    .query(({ ctx, input }) => getUsage(ctx, input)),
});
