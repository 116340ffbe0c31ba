import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import { type LeasedRow, leasesOf } from '../queue/leases.ts';

/** Captures to be processed. `claims` counts those of the present step that saved nothing. */
export const captureLeases = leasesOf<CaptureClaim>({
  name: 'capture_work',
  key: [{ column: 'capture_id', type: 'uuid', property: 'captureId' }],
  due: 'lease_until',
  attempt: 'attempt',
  // A try after one that failed may be planned as far ahead as a provider asks for.
  isSoon: '(t.worker_id is not null or t.tries = 0)',
  open: 'true',
  held: 't.worker_id is not null',
  onClaim: 'worker_id = $2, claims = t.claims + 1',
  onRelease: 'worker_id = null',
  onHandBack: 'claims = greatest(0, t.claims - 1)',
  columns: 't.capture_id as "captureId"',
  notifies: 'captures',
});

/** Audio of an erased capture that a worker holds. */
export interface Removal extends LeasedRow {
  recordingId: string;
  claimedAt: string;
  /** It is removed until then. */
  lastAt: string;
}

/** Audio to be removed from the store. */
export const removalLeases = leasesOf<Removal>({
  name: 'audio_removals',
  key: [{ column: 'recording_id', type: 'uuid', property: 'recordingId' }],
  due: 'next_at',
  attempt: 'attempt',
  open: 'true',
  columns: 't.recording_id as "recordingId", now() as "claimedAt", t.last_at as "lastAt"',
});
