import { z } from 'zod';
import { op, principalOf, procedure } from '../base.ts';
import { Id } from '../fields.ts';
import { openRecording, stopRecording } from './recording.ts';
import { answerOf } from './rows.ts';
import { CaptureTitle, CaptureWritten, RecordingSession, Tags } from './shapes.ts';

function isLanguage(value: string): boolean {
  try {
    return value.length <= 35 && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** A language by its BCP 47 tag (RFC 5646). */
const Language = z
  .string()
  .refine(isLanguage, 'must be a BCP 47 language tag such as en or pt-BR')
  .meta({ description: 'The language that is spoken, as a BCP 47 tag.', examples: ['de-CH'] });

const RecordingStartParams = z
  .strictObject({
    title: CaptureTitle.optional().describe('Without one, a title is written from what the recording says.'),
    tags: Tags.optional(),
    language: Language.optional(),
  })
  .meta({ id: 'RecordingStartParams' });

/** What begins and ends recordings; their audio comes over the socket (docs/recording.md). */
export const recordingOperations = {
  startRecording: procedure
    .meta(
      op('POST /captures/recordings', {
        id: 'startRecording',
        access: 'session',
        summary: 'Open a recording session',
        description:
          'Makes a capture with the status `recording`, whose audio a recorder sends over the WebSocket at `socketUrl`. Not retried with an Idempotency-Key: a session that nobody connects to ends by itself after five minutes.',
        status: 201,
        statuses: [402],
      }),
    )
    .input(RecordingStartParams)
    .output(RecordingSession)
    .mutation(({ ctx, input }) => openRecording(ctx, principalOf(ctx), input)),

  stop: procedure
    .meta(
      op('POST /captures/{captureId}/stop', {
        id: 'stopCapture',
        scope: 'captures:write',
        summary: 'Stop a running recording',
        description:
          'What the service has received is kept, and processing begins. Audio that a recorder has not sent by then is lost: a recorder itself stops with the `stop` frame of its socket.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ captureId: Id }))
    .output(CaptureWritten)
    .mutation(async ({ ctx, input }) =>
      answerOf(ctx, await stopRecording(ctx, principalOf(ctx).workspaceId, input.captureId)),
    ),
};
