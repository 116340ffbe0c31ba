import { z } from 'zod';
import { Id, Instant, InstantInput, listOf } from '../fields.ts';

/** Snoozes of one person in one workspace at most, with those that ended lately. */
export const maxSnoozes = 500;

/** For how long something can be put off at most. */
export const maxSnoozeDays = 366;

const subjectType = z
  .enum(['approval', 'todo_run', 'todo', 'notification'])
  .describe('What is put off: a request for approval, a run that failed, a todo that is suggested, or a notification.');

/** Something that a person does not want to see in the inbox before an instant. */
export const Snooze = z
  .object({
    object: z.literal('snooze'),
    id: Id,
    subjectType,
    subjectId: Id.describe('Its id. It may have been decided, done or erased meanwhile.'),
    until: Instant.describe('When it is in the inbox again. A snooze that has ended is listed for seven days.'),
    createdAt: Instant,
  })
  .meta({ id: 'Snooze' });

export type SnoozeAnswer = z.infer<typeof Snooze>;

export const SnoozePage = listOf(Snooze, 'SnoozePage');

/** What is put off, and until when. */
export const SnoozeCreate = z
  .strictObject({
    subjectType,
    subjectId: Id,
    until: InstantInput.describe(`In the future, by ${maxSnoozeDays} days at most.`).meta({
      examples: ['2026-03-02T09:00:00+01:00'],
    }),
  })
  .meta({ id: 'SnoozeCreateParams' });
