import type { Db } from '../../db/client.ts';
import type { CaptureRef, Jobs } from '../jobs.ts';

/** What is done for a capture, in this order: join the audio, transcribe it, write about it. */
export type CaptureStep = 'assemble' | 'transcribe' | 'digest';

/** How long work is left in peace while its job waits in the queue. */
const patience = `interval '20 seconds'`;

// Work that is under way for an older text starts anew: its worker can no longer save (`attempt`).
const begin = `insert into capture_work (workspace_id, capture_id, step, lease_until)
  values ($1, $2, $3, greatest(now(), coalesce($4::timestamptz, now())) + ${patience})
  on conflict (workspace_id, capture_id) do update set step = excluded.step, attempt = capture_work.attempt + 1,
    claims = 0, tries = 0, worker_id = null, lease_until = excluded.lease_until`;

/** Has a capture worked on from `step`, in the transaction given, not before the instant `after` when one is given. */
export async function beginWork(
  { db, jobs }: { db: Db; jobs: Jobs },
  capture: CaptureRef,
  step: CaptureStep,
  after?: string,
): Promise<void> {
  await db.rows(begin, [capture.workspaceId, capture.captureId, step, after ?? null]);
  await jobs.capture(db, capture, after);
}
