import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { DeletedResource, Id, listOf, wholeList } from '../fields.ts';
import { deleteCapture, restoreCapture } from './archive.ts';
import { createCapture } from './create.ts';
import { listCaptures } from './list.ts';
import { recordingOperations } from './recording-operations.ts';
import { retryOperation } from './retry-operation.ts';
import { answerOf, readCapture } from './rows.ts';
import {
  Capture,
  CaptureCreate,
  CaptureListing,
  CapturePage,
  CaptureTag,
  CaptureUpdate,
  CaptureWritten,
} from './shapes.ts';
import { listTags } from './tags.ts';
import { updateCapture } from './update.ts';

const One = z.strictObject({ captureId: Id });

export const captures = router({
  list: procedure
    .meta(
      op('GET /captures', {
        id: 'listCaptures',
        scope: 'captures:read',
        summary: 'List captures',
        description:
          'Newest first, without their bodies; recordings that are running are among them with the status `recording`. Pages by cursor.',
        strictQuery: true,
      }),
    )
    .input(CaptureListing)
    .output(CapturePage)
    .query(({ ctx, input }) => listCaptures(ctx.db, principalOf(ctx).workspaceId, ctx.service.cursorKey, input)),

  create: procedure
    .meta(
      op('POST /captures', {
        id: 'createCapture',
        scope: 'captures:write',
        summary: 'Write a note, or import a transcript',
        description:
          'A note is completed at once; its summary and suggested todos follow shortly after. An imported transcript is a recording without audio, in `processing` until they are there. To see what is written, read the capture (getCapture).',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [402],
      }),
    )
    .input(CaptureCreate)
    .output(CaptureWritten)
    .mutation(async ({ ctx, input }) => answerOf(ctx, await createCapture(ctx, principalOf(ctx), input))),

  tags: procedure
    .meta(
      op('GET /captures/tags', {
        id: 'listTags',
        scope: 'captures:read',
        summary: 'List the tags of captures',
        description: 'By name; those that only archived captures carry have a count of 0.',
      }),
    )
    .input(z.strictObject({}))
    .output(listOf(CaptureTag, 'TagPage'))
    .query(async ({ ctx }) => wholeList(await listTags(ctx.db, principalOf(ctx).workspaceId))),

  get: procedure
    .meta(
      op('GET /captures/{captureId}', {
        id: 'getCapture',
        scope: 'captures:read',
        summary: 'Get a capture with all that it says',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(Capture)
    .query(({ ctx, input }) => readCapture(ctx, principalOf(ctx).workspaceId, input.captureId)),

  update: procedure
    .meta(
      op('PATCH /captures/{captureId}', {
        id: 'updateCapture',
        scope: 'captures:write',
        summary: 'Change a capture',
        description:
          'A transcript cannot be changed: corrections go in `notes`. A note whose `content` changed is summed up anew after half a minute.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(CaptureUpdate.extend({ captureId: Id }).meta({ id: 'CaptureUpdateParams' }))
    .output(CaptureWritten)
    .mutation(async ({ ctx, input: { captureId, ...patch } }) =>
      answerOf(ctx, await updateCapture(ctx, principalOf(ctx).workspaceId, captureId, patch, ctx.ifMatch)),
    ),

  delete: procedure
    .meta(
      op('DELETE /captures/{captureId}', {
        id: 'deleteCapture',
        scope: 'captures:write',
        summary: 'Archive a capture, or erase it for good',
        description:
          'An archived capture can be read and restored; a recording that runs goes on. Erasing removes text and audio, and with them the todos suggested from it that nobody accepted; its other todos stay.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One.extend({ permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) =>
      deleteCapture(ctx, principalOf(ctx).workspaceId, input.captureId, input.permanent, ctx.ifMatch),
    ),

  restore: procedure
    .meta(
      op('POST /captures/{captureId}/restore', {
        id: 'restoreCapture',
        scope: 'captures:write',
        summary: 'Bring an archived capture back',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(CaptureWritten)
    .mutation(async ({ ctx, input }) =>
      answerOf(ctx, await restoreCapture(ctx.db, principalOf(ctx).workspaceId, input.captureId)),
    ),

  ...recordingOperations,
  ...retryOperation,
});
