import { z } from 'zod';
import { Id, Instant, listOf, TimeZone } from '../fields.ts';

/** Days before the due date at most. */
const maxDays = 365;

const daysBefore = z
  .int()
  .min(0)
  .max(maxDays)
  .meta({ description: 'Days before the due date; 0 is the day itself.', examples: [1] });
const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day, written HH:MM, such as 09:00')
  .meta({ description: 'Time of that day, `HH:MM`.', examples: ['09:00'] });

export const Reminder = z
  .object({
    object: z.literal('reminder'),
    id: Id,
    todoId: Id,
    daysBefore,
    time: z.string().meta({ description: 'Time of that day, `HH:MM`.', examples: ['09:00'] }),
    timezone: z.string().meta({ description: 'IANA time zone of the time.', examples: ['Europe/Berlin'] }),
    remindAt: Instant.nullable().describe(
      'When you will be notified. Null when that has happened, and while it cannot: the todo has no due date, is done or archived, or the time is past.',
    ),
    createdAt: Instant,
  })
  .meta({ id: 'Reminder' });

export type ReminderAnswer = z.infer<typeof Reminder>;

export const ReminderPage = listOf(Reminder, 'ReminderPage');

/** A new reminder of a todo. */
export const ReminderCreate = z
  .strictObject({
    todoId: Id,
    daysBefore: daysBefore.default(0),
    time: time.default('09:00'),
    timezone: TimeZone.optional().describe('IANA time zone of the time. Omitted: that of the workspace.'),
  })
  .meta({ id: 'ReminderCreateParams' });

export const ReminderRef = z.strictObject({ todoId: Id, reminderId: Id });
