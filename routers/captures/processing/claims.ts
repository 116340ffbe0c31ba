import type { Db } from '../../../db/client.ts';
import type { CaptureRef, Jobs } from '../../jobs.ts';

/** How long a worker holds a capture without a sign of life. */
export const leaseSeconds = 12;

/** How long work that was given back is left in peace while its job waits in the queue. */
const patience = `interval '20 seconds'`;

/** A capture that a worker holds. Only the holder of the current `attempt` may save. */
export interface CaptureClaim extends CaptureRef {
  attempt: number;
}

/** Somebody else has the work now, or nothing is to be done any more. */
export class LostCapture extends Error {
  override readonly name = 'LostCapture';
  constructor() {
    super('The capture is somebody else’s to work on now, or nobody’s');
  }
}

const claim = `update capture_work set attempt = attempt + 1, claims = claims + 1, worker_id = $3,
    lease_until = now() + interval '${leaseSeconds} seconds'
  where workspace_id = $1 and capture_id = $2 and (worker_id is null or lease_until < now())
  returning attempt`;

/** Claims the work on a capture; null when there is none, or somebody is at it. */
export async function claimCapture(db: Db, ref: CaptureRef, workerId: string): Promise<CaptureClaim | null> {
  const { workspaceId, captureId } = ref;
  const values = [workspaceId, captureId, workerId];
  const [row] = await db.rows<{ attempt: number }>(claim, values);
  return row ? { workspaceId, captureId, ...row } : null;
}

// A row that is locked is passed over: a save that waits must not have signs of life pile up behind it.
const renew = `with free as materialized (
    select workspace_id, capture_id from capture_work
    where workspace_id = $1 and capture_id = $2 and attempt = $3 for no key update skip locked
  ), renewed as (
    update capture_work w set lease_until = now() + interval '${leaseSeconds} seconds'
    from free where w.workspace_id = free.workspace_id and w.capture_id = free.capture_id
  ) select 1 from capture_work where workspace_id = $1 and capture_id = $2 and attempt = $3`;

/** A sign of life; false when the work is not the worker's any more. */
export async function renewCapture(db: Db, { workspaceId, captureId, attempt }: CaptureClaim): Promise<boolean> {
  return (await db.rows(renew, [workspaceId, captureId, attempt])).length > 0;
}

const giveBack = `update capture_work set worker_id = null, claims = greatest(0, claims - 1), tries = tries + $4,
    lease_until = now() + make_interval(secs => $5::float8) + ${patience}
  where workspace_id = $1 and capture_id = $2 and attempt = $3 returning 1`;

interface Return {
  /** Whether a fault is the reason: it counts as a try. */
  faulty: boolean;
  /** Milliseconds until it is worked on again. */
  afterMs: number;
}

/** Gives the work back to the workers: another one, or this one, goes on with the step. */
export async function returnCapture(
  { db, jobs, clock }: { db: Db; jobs: Jobs; clock: () => Date },
  { workspaceId, captureId, attempt }: CaptureClaim,
  { faulty, afterMs }: Return,
): Promise<void> {
  await db.transaction(async (tx) => {
    const values = [workspaceId, captureId, attempt, faulty ? 1 : 0, afterMs / 1000];
    if ((await tx.rows(giveBack, values)).length === 0) return;
    const after = afterMs > 0 ? new Date(clock().getTime() + afterMs).toISOString() : undefined;
    await jobs.capture(tx, { workspaceId, captureId }, after);
  });
}

/** Work whose job is due and waits for a worker: where the queue is long it has lost nothing. One scan for all. */
const waiting = `select (j.data->>'captureId')::uuid from pgboss.job j
  where j.name = 'captures' and j.state < 'active' and j.start_after <= now()`;

const batch = 100;

const reclaim = `with lapsed as (
    select workspace_id, capture_id from capture_work
    where lease_until < now() and (worker_id is not null or capture_id not in (${waiting}))
    order by lease_until limit ${batch} for update skip locked
  ) update capture_work w set worker_id = null, lease_until = now() + ${patience} from lapsed
  where w.workspace_id = lapsed.workspace_id and w.capture_id = lapsed.capture_id
  returning w.workspace_id as "workspaceId", w.capture_id as "captureId"`;

/** Makes new jobs for captures that nobody works on: their job was lost, or their process died. Returns how many. */
export async function reclaimCaptures(
  db: Db,
  queue: { captures(tx: Db, captures: readonly CaptureRef[]): Promise<void> },
): Promise<number> {
  let total = 0;
  for (let found = batch; found === batch; total += found) {
    found = await db.transaction(async (tx) => {
      const captures = await tx.rows<CaptureRef>(reclaim, []);
      if (captures.length > 0) await queue.captures(tx, captures);
      return captures.length;
    });
  }
  return total;
}
