import { z } from 'zod';
import { DeletedResource, Id } from '../domain/fields.ts';
import { Snooze, SnoozeCreate, SnoozePage } from '../domain/snoozes/shapes.ts';
import { createSnooze, deleteSnooze, listSnoozes } from '../domain/snoozes/write.ts';
import { op, procedure, router } from './base.ts';

export const snoozes = router({
  list: procedure
    .meta(
      op('GET /snoozes', {
        id: 'listSnoozes',
        access: 'session',
        summary: 'List what you have put off',
        description:
          'Lists what you do not want to see in your inbox for now, in the workspace of this session, on one page: what comes back first stands first. Those that ended are in it for seven days. What is put off is read by its own operations, such as getApproval.',
      }),
    )
    .input(z.strictObject({}))
    .output(SnoozePage)
    .query(({ ctx }) => listSnoozes(ctx)),

  create: procedure
    .meta(
      op('POST /snoozes', {
        id: 'createSnooze',
        access: 'session',
        summary: 'Put something in your inbox off',
        description:
          'Keeps a request for approval, a failed run, a suggested todo or a notification out of your inbox until an instant; for other people it stays there, and a request for approval expires as before. What is put off already gets the new instant. A notification becomes unread, and counts as that once it is back.',
        status: 201,
        keyed: true,
        statuses: [404, 409],
        events: ['snooze.created', 'snooze.updated', 'notification.updated'],
      }),
    )
    .input(SnoozeCreate)
    .output(Snooze)
    .mutation(({ ctx, input }) => createSnooze(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /snoozes/{snoozeId}', {
        id: 'deleteSnooze',
        access: 'session',
        summary: 'Bring back what you have put off',
        description:
          'Ends one of your snoozes: what it put off is in your inbox at once. The snooze of another person is not found. createSnooze with the same subject changes the instant instead.',
        statuses: [404],
        events: ['snooze.deleted'],
      }),
    )
    .input(z.strictObject({ snoozeId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteSnooze(ctx, input)),
});
