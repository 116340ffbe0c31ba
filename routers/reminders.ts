import { z } from 'zod';
import { DeletedResource, Id } from '../domain/fields.ts';
import { Reminder, ReminderCreate, ReminderPage, ReminderRef } from '../domain/reminders/shapes.ts';
import { createReminder, deleteReminder, listReminders } from '../domain/reminders/write.ts';
import { op, procedure } from './base.ts';

export const reminderOperations = {
  listReminders: procedure
    .meta(
      op('GET /todos/{todoId}/reminders', {
        id: 'listTodoReminders',
        scope: 'todos:read',
        summary: 'List your reminders of a todo',
        description:
          'Lists when you are reminded of the due date of a todo, up to five reminders on one page. They are yours alone: those of other people are not in it. What was sent is in listNotifications.',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoId: Id }))
    .output(ReminderPage)
    .query(({ ctx, input }) => listReminders(ctx, input)),

  createReminder: procedure
    .meta(
      op('POST /todos/{todoId}/reminders', {
        id: 'createTodoReminder',
        scope: 'todos:write',
        summary: 'Be reminded of the due date of a todo',
        description:
          'Notifies you once, at a time of the day so many days before the due date, in the app and by email as your notification settings say. When the due date changes, the reminder moves along; a todo that is done, archived or without a due date has none. The same reminder again returns the one that is there. To have an agent start at a time, use the `schedule` of updateTodo instead.',
        sample: { daysBefore: 1, time: '09:00' },
        status: 201,
        keyed: true,
        statuses: [404, 409],
        events: ['reminder.created'],
      }),
    )
    .input(ReminderCreate)
    .output(Reminder)
    .mutation(({ ctx, input }) => createReminder(ctx, input)),

  deleteReminder: procedure
    .meta(
      op('DELETE /todos/{todoId}/reminders/{reminderId}', {
        id: 'deleteTodoReminder',
        scope: 'todos:write',
        summary: 'Delete a reminder',
        description:
          'Ends one of your reminders of a todo; the notification of one that was sent stays. The reminder of another person is not found. The due date itself is changed with updateTodo.',
        statuses: [404],
        events: ['reminder.deleted'],
      }),
    )
    .input(ReminderRef)
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteReminder(ctx, input)),
};
