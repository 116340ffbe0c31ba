import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../errors.ts';
import { requireMinutes } from '../../usage/minutes.ts';
import { recordCapture } from '../events.ts';
import { answerOf, findCapture } from '../rows.ts';
import type { CaptureAnswer } from '../shapes.ts';
import { beginWork, type CaptureStep } from '../work.ts';

interface Failed {
  status: string;
  retryable: boolean | null;
  step: CaptureStep;
}

// The step that failed is derived from what is missing: audio that was never joined, a transcript that was never
// written.
const lock = `select c.status, c.failure_retryable as retryable,
    case when c.recording_id is not null and c.audio_key is null then 'assemble'
      when c.recording_id is not null and c.transcript is null then 'transcribe' else 'digest' end as step
  from captures c where c.workspace_id = $1 and c.id = $2 for no key update`;
const reopen = `update captures set status = 'processing', failure_code = null, failure_message = null,
    failure_retryable = null, failed_at = null, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2`;

/** Processes a failed capture again, from the step that failed. @throws Failure 404, 409, 402. */
export function retryCapture(ctx: Context, { captureId }: { captureId: string }): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const [capture] = await db.rows<Failed>(lock, [workspaceId, captureId]);
    if (!capture) throw notFound('capture', 'captureId');
    if (capture.status !== 'failed') {
      throw conflict(`Only a failed capture can be retried; this one is ${capture.status}.`);
    }
    if (!capture.retryable) throw conflict('This capture cannot be retried: its failure is not retryable.');
    await requireMinutes(db, workspaceId);
    await db.rows(reopen, [workspaceId, captureId]);
    await recordCapture(db, { workspaceId, captureId }, 'capture.updated', ['status', 'failure']);
    await beginWork({ ...ctx, db }, { workspaceId, captureId }, capture.step);
    return answerOf(ctx, await findCapture(db, workspaceId, captureId));
  });
}
