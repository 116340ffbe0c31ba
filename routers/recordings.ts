import { z } from 'zod';
import { retryCapture } from '../domain/captures/processing/retry.ts';
import { startRecording, stopCapture } from '../domain/captures/recording.ts';
import { RecordingSession, RecordingStartParams } from '../domain/captures/recording-shapes.ts';
import { CaptureWritten, maxCaptureBody } from '../domain/captures/shapes.ts';
import { Id } from '../domain/fields.ts';
import { op, procedure } from './base.ts';

/** Recordings and their processing; the audio is sent over a socket (docs/recording.md). */
export const recordingOperations = {
  startRecording: procedure
    .meta(
      op('POST /captures/recordings', {
        id: 'startRecording',
        access: 'session',
        summary: 'Open a recording session',
        description:
          'Makes a capture with the status `recording`, whose audio a recorder sends over the WebSocket at `socketUrl`. Takes no Idempotency-Key: a session without a connection ends after five minutes.',
        sample: { title: 'Planning of the spring release', language: 'en' },
        maxBody: maxCaptureBody,
        status: 201,
        statuses: [402, 409],
        events: ['capture.created', 'tag.created'],
      }),
    )
    .input(RecordingStartParams)
    .output(RecordingSession)
    .mutation(({ ctx, input }) => startRecording(ctx, input)),

  stop: procedure
    .meta(
      op('POST /captures/{captureId}/stop', {
        id: 'stopCapture',
        scope: 'captures:write',
        summary: 'Stop a running recording',
        description:
          'Audio that the service has received is kept, and processing begins. Audio that a recorder has not sent by then is lost: a recorder itself stops with the `stop` frame of its socket.',
        maxBody: maxCaptureBody,
        etag: true,
        statuses: [404, 409],
        events: ['capture.updated'],
      }),
    )
    .input(z.strictObject({ captureId: Id }))
    .output(CaptureWritten)
    .mutation(({ ctx, input }) => stopCapture(ctx, input)),

  retry: procedure
    .meta(
      op('POST /captures/{captureId}/retry', {
        id: 'retryCapture',
        scope: 'captures:write',
        summary: 'Process a failed capture again',
        description:
          'Starts at the step that failed: pieces that were transcribed before are neither requested nor charged again. Refused with 409 unless the capture failed and its `failure` is retryable.',
        maxBody: maxCaptureBody,
        etag: true,
        statuses: [402, 404, 409],
        events: ['capture.updated'],
      }),
    )
    .input(z.strictObject({ captureId: Id }))
    .output(CaptureWritten)
    .mutation(({ ctx, input }) => retryCapture(ctx, input)),
};
