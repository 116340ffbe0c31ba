import { z } from 'zod';
import { op, principalOf, procedure } from '../base.ts';
import { listOccurrences, updateOccurrence } from './occurrences.ts';
import { previewOf } from './plan.ts';
import { plansOf } from './planning.ts';
import {
  Occurrence,
  OccurrenceListing,
  OccurrencePage,
  OccurrenceUpdate,
  ScheduleParams,
  SchedulePreview,
} from './shapes.ts';

/** The operations of todos that have to do with their schedules. */
export const scheduleOperations = {
  previewSchedule: procedure
    .meta(
      op('POST /todos/schedule-preview', {
        id: 'previewSchedule',
        scope: 'todos:read',
        summary: 'See what a schedule means before it is set',
        description: 'Answers the rule, what it means in words, and its next times. Changes nothing.',
      }),
    )
    .input(z.strictObject({ schedule: ScheduleParams }).meta({ id: 'SchedulePreviewParams' }))
    .output(SchedulePreview)
    .mutation(async ({ ctx, input }) => {
      const [plan] = await plansOf(ctx, principalOf(ctx).workspaceId, [input.schedule]);
      if (!plan) throw new Error('A schedule without a plan');
      return previewOf(plan);
    }),

  listOccurrences: procedure
    .meta(
      op('GET /todos/{todoId}/occurrences', {
        id: 'listTodoOccurrences',
        scope: 'todos:read',
        summary: 'List the planned times of a todo',
        description: 'The latest first: the coming one (`upcoming`), then those that came. Pages by cursor.',
        statuses: [404],
      }),
    )
    .input(OccurrenceListing)
    .output(OccurrencePage)
    .query(({ ctx, input }) => listOccurrences(ctx.db, principalOf(ctx).workspaceId, ctx.service.cursorKey, input)),

  updateOccurrence: procedure
    .meta(
      op('PATCH /todos/{todoId}/occurrences/{occurrenceId}', {
        id: 'updateTodoOccurrence',
        scope: 'todos:write',
        summary: 'Tick off one planned time of a todo, or skip it',
        description: 'The coming one then does not fire. The schedule goes on; to end it set the todo to done.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(OccurrenceUpdate)
    .output(Occurrence)
    .mutation(({ ctx, input }) => updateOccurrence(ctx, principalOf(ctx).workspaceId, input, ctx.ifMatch)),
};
