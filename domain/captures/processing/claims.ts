import type { Db } from '../../../db/client.ts';
import type { CaptureRef } from '../../jobs.ts';

/** A capture that a worker holds. Only the holder of the current `attempt` may save. */
export interface CaptureClaim extends CaptureRef {
  attempt: number;
}

const retry = `update capture_work set worker_id = null, claims = greatest(0, claims - 1), tries = tries + 1,
    lease_until = now() + make_interval(secs => $4::float8)
  where workspace_id = $1 and capture_id = $2 and attempt = $3`;

/** Gives a capture back whose step failed: the step is tried again after `afterMs` milliseconds, by any worker. */
export async function retryStep(
  db: Db,
  { workspaceId, captureId, attempt }: CaptureClaim,
  afterMs: number,
): Promise<void> {
  await db.rows(retry, [workspaceId, captureId, attempt, afterMs / 1000]);
}
