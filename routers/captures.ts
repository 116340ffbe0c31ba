import { z } from 'zod';
import { deleteCapture, restoreCapture } from '../domain/captures/archive.ts';
import { createCapture, readAhead } from '../domain/captures/create.ts';
import { listCaptures } from '../domain/captures/list.ts';
import { getCapture } from '../domain/captures/rows.ts';
import {
  Capture,
  CaptureCreate,
  CaptureListing,
  CapturePage,
  CaptureTag,
  CaptureUpdate,
  CaptureWritten,
  maxCaptureBody,
} from '../domain/captures/shapes.ts';
import { listTags } from '../domain/captures/tags.ts';
import { updateCapture } from '../domain/captures/update.ts';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';
import { erasesTodos } from './event-types.ts';
import { recordingOperations } from './recordings.ts';

const One = z.strictObject({ captureId: Id });

export const captures = router({
  list: procedure
    .meta(
      op('GET /captures', {
        id: 'listCaptures',
        scope: 'captures:read',
        summary: 'List captures',
        description:
          'Lists captures newest first, without their bodies: getCapture has the text, the transcript and the notes. Recordings that are running are among them with the status `recording`. Pages by cursor. To follow what changes, pass `updatedSince`.',
        sample: { query: 'release', tags: ['planning'] },
        strictQuery: true,
      }),
    )
    .input(CaptureListing)
    .output(CapturePage)
    .query(({ ctx, input }) => listCaptures(ctx, input)),

  create: procedure
    .meta(
      op('POST /captures', {
        id: 'createCapture',
        scope: 'captures:write',
        summary: 'Write a note, or import a transcript',
        description:
          'A note is completed at once; its summary and suggested todos follow shortly after. An imported transcript is a recording without audio, in `processing` until they are there. To see the result, get the capture (getCapture).',
        maxBody: maxCaptureBody,
        status: 201,
        keyed: true,
        ahead: readAhead,
        etag: true,
        statuses: [402, 409],
        events: ['capture.created', 'tag.created'],
      }),
    )
    .input(CaptureCreate)
    .output(CaptureWritten)
    .mutation(({ ctx, input }) => createCapture(ctx, input)),

  tags: procedure
    .meta(
      op('GET /captures/tags', {
        id: 'listTags',
        scope: 'captures:read',
        summary: 'List the tags of captures',
        description:
          'Lists the tags of the workspace in one page, sorted by name, with the number of captures that have each. Tags that only archived captures have are listed with a count of 0. Tags are created by using them in createCapture or updateCapture; captures have at most 2,000 of them (409).',
      }),
    )
    .input(z.strictObject({}))
    .output(listOf(CaptureTag, 'TagPage'))
    .query(({ ctx }) => listTags(ctx)),

  get: procedure
    .meta(
      op('GET /captures/{captureId}', {
        id: 'getCapture',
        scope: 'captures:read',
        summary: 'Get a capture with all its texts',
        description:
          'Returns a capture with all its texts: the content of a note, or the transcript and notes of a recording, and a temporary link to the audio. The summary is `null` until processing is finished. It is the only operation that returns these texts, and needs `captures:read`.',
        etag: true,
        statuses: [404],
        heavy: 'inTurn',
      }),
    )
    .input(One)
    .output(Capture)
    .query(({ ctx, input }) => getCapture(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /captures/{captureId}', {
        id: 'updateCapture',
        scope: 'captures:write',
        summary: 'Change a capture',
        description:
          'Changes title, content, notes or tags; omitted fields keep their values. A transcript cannot be changed: corrections go in `notes`. A note whose `content` changed is summarized again half a minute later. The answer has no texts: read them with getCapture.',
        sample: { title: 'Planning of the spring release', tags: ['planning'] },
        maxBody: maxCaptureBody,
        etag: true,
        statuses: [404, 409],
        events: ['capture.updated', 'tag.created', 'tag.deleted'],
        heavy: 'inTurn',
      }),
    )
    .input(CaptureUpdate.extend({ captureId: Id }).meta({ id: 'CaptureUpdateParams' }))
    .output(CaptureWritten)
    .mutation(({ ctx, input }) => updateCapture(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /captures/{captureId}', {
        id: 'deleteCapture',
        scope: 'captures:write',
        summary: 'Archive a capture, or erase it for good',
        description:
          'An archived capture can be read and restored; a running recording continues. Erasing removes text, audio and the suggested todos that were not accepted; other todos stay.',
        maxBody: maxCaptureBody,
        etag: true,
        statuses: [404],
        events: ['capture.archived', 'capture.deleted', 'tag.deleted', 'todo.updated', ...erasesTodos],
        heavy: 'inTurn',
      }),
    )
    .input(One.extend({ permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteCapture(ctx, input)),

  restore: procedure
    .meta(
      op('POST /captures/{captureId}/restore', {
        id: 'restoreCapture',
        scope: 'captures:write',
        summary: 'Restore an archived capture',
        description:
          'Brings an archived capture back with its texts, tags and audio; an active one is returned unchanged. An erased capture is not found.',
        maxBody: maxCaptureBody,
        etag: true,
        statuses: [404],
        events: ['capture.restored'],
        heavy: 'inTurn',
      }),
    )
    .input(One)
    .output(CaptureWritten)
    .mutation(({ ctx, input }) => restoreCapture(ctx, input)),

  ...recordingOperations,
});
