import type { Db } from '../../db/client.ts';
import { type CaptureRef, wake } from '../jobs.ts';

/** The steps of processing a capture, in this order: join the audio, transcribe it, write about it. */
export type CaptureStep = 'assemble' | 'transcribe' | 'digest';

// Work in progress on an older text starts again: its worker can no longer save (`attempt`).
const begin = `insert into capture_work (workspace_id, capture_id, step, lease_until)
  values ($1, $2, $3, greatest(now(), $4::timestamptz))
  on conflict (workspace_id, capture_id) do update set step = excluded.step, attempt = capture_work.attempt + 1,
    claims = 0, tries = 0, worker_id = null, lease_until = excluded.lease_until`;

/**
 * Has a capture processed from `step` on, in the transaction given, not before the instant `after` when one is given.
 */
export async function beginWork(
  { db }: { db: Db },
  capture: CaptureRef,
  step: CaptureStep,
  after?: string,
): Promise<void> {
  await db.rows(begin, [capture.workspaceId, capture.captureId, step, after ?? null]);
  wake(db, 'captures');
}
