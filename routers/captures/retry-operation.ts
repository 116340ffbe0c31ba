import { z } from 'zod';
import { op, principalOf, procedure } from '../base.ts';
import { Id } from '../fields.ts';
import { retryCapture } from './processing/retry.ts';
import { answerOf, findCapture } from './rows.ts';
import { CaptureWritten } from './shapes.ts';

export const retryOperation = {
  retry: procedure
    .meta(
      op('POST /captures/{captureId}/retry', {
        id: 'retryCapture',
        scope: 'captures:write',
        summary: 'Try a failed capture again',
        description:
          'From the step that failed: what was transcribed before is neither asked for nor paid again. Refused with 409 unless the capture failed and its `failure` is retryable.',
        etag: true,
        statuses: [402, 404, 409],
      }),
    )
    .input(z.strictObject({ captureId: Id }))
    .output(CaptureWritten)
    .mutation(async ({ ctx, input }) => {
      const principal = principalOf(ctx);
      await retryCapture(ctx, principal, input.captureId);
      return answerOf(ctx, await findCapture(ctx.db, principal.workspaceId, input.captureId));
    }),
};
