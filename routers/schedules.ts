import { z } from 'zod';
import { listTodoOccurrences } from '../domain/occurrences/list.ts';
import { updateTodoOccurrence } from '../domain/occurrences/update.ts';
import { listPlannedTimes } from '../domain/schedules/planned.ts';
import { previewSchedule } from '../domain/schedules/planning.ts';
import {
  Occurrence,
  OccurrenceListing,
  OccurrencePage,
  OccurrenceUpdate,
  PlannedTimesListing,
  PlannedTimesPage,
  ScheduleParams,
  SchedulePreview,
} from '../domain/schedules/shapes.ts';
import { op, procedure } from './base.ts';

/** The operations on the schedules of todos. */
export const scheduleOperations = {
  previewSchedule: procedure
    .meta(
      op('POST /todos/schedule-preview', {
        id: 'previewSchedule',
        scope: 'todos:read',
        summary: 'Preview a schedule before it is set',
        description:
          'Returns the RFC 5545 rule of a schedule, its description in words, and its next times, and changes nothing. Use it to check a schedule before createTodo or updateTodo sets it. A rule that never fires is refused by all three (400).',
        sample: { schedule: { every: 'month', dayOfMonth: -1, at: '09:00', timezone: 'Europe/Berlin' } },
        events: [],
      }),
    )
    .input(z.strictObject({ schedule: ScheduleParams }).meta({ id: 'SchedulePreviewParams' }))
    .output(SchedulePreview)
    .mutation(({ ctx, input }) => previewSchedule(ctx, input)),

  listPlannedTimes: procedure
    .meta(
      op('GET /todos/planned-times', {
        id: 'listPlannedTimes',
        scope: 'todos:read',
        summary: 'List what is planned in a range of time',
        description:
          'Lists the todos with a schedule by id, each with its planned times in the range, up to 200: what a calendar shows. Todos without a time in the range may have an empty list. Pages by cursor. Past times, and what became of them, are in listTodoOccurrences; the todos themselves in listTodos.',
        sample: { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' },
      }),
    )
    .input(PlannedTimesListing)
    .output(PlannedTimesPage)
    .query(({ ctx, input }) => listPlannedTimes(ctx, input)),

  listOccurrences: procedure
    .meta(
      op('GET /todos/{todoId}/occurrences', {
        id: 'listTodoOccurrences',
        scope: 'todos:read',
        summary: 'List the planned times of a todo',
        description:
          'Lists the planned times of a recurring todo, the latest first: the next one (`upcoming`), then the past ones with what became of each. Pages by cursor. Use updateTodoOccurrence to tick one off or to skip the next; the agent runs that they started are in listTodoRuns.',
        statuses: [404],
      }),
    )
    .input(OccurrenceListing)
    .output(OccurrencePage)
    .query(({ ctx, input }) => listTodoOccurrences(ctx, input)),

  updateOccurrence: procedure
    .meta(
      op('PATCH /todos/{todoId}/occurrences/{occurrenceId}', {
        id: 'updateTodoOccurrence',
        scope: 'todos:write',
        summary: 'Mark one planned time of a todo done, or skip it',
        description:
          'Ticks off one planned time of a recurring todo (`done`), or skips the next one (`skipped`), which then does not fire. The schedule continues; up to 400 times can be ahead (409). To end it, set the status of the todo to `done` with updateTodo.',
        sample: { status: 'skipped' },
        etag: true,
        statuses: [404, 409],
        events: ['todo_occurrence.updated', 'todo.updated'],
      }),
    )
    .input(OccurrenceUpdate)
    .output(Occurrence)
    .mutation(({ ctx, input }) => updateTodoOccurrence(ctx, input)),
};
