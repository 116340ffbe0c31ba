import type { DigestRef } from '../../../domain/jobs.ts';
import { type LeasedRow, leasesOf } from '../queue/leases.ts';

/** A digest that a worker holds. */
export interface DigestClaim extends LeasedRow, DigestRef {
  /** Claims since it was asked for, with this one. */
  tries: number;
}

/** How often a digest is tried, and the pauses after each try but the last, in seconds: 21 minutes in all. */
export const maxTries = 5;
const pauses = [10, 60, 300, 900];

/** Seconds until a digest that failed is tried again. */
export function pauseOf({ tries }: DigestClaim): number {
  return pauses[tries - 1] ?? 0;
}

/** Titles, subtitles, summaries and estimates to be written. */
export const digestLeases = leasesOf<DigestClaim>({
  name: 'digests',
  key: [
    { column: 'kind', type: 'text', property: 'kind' },
    { column: 'subject_id', type: 'uuid', property: 'id' },
  ],
  due: 'lease_until',
  attempt: 'attempt',
  open: 'true',
  held: 't.worker_id is not null',
  onClaim: 'worker_id = $2, tries = t.tries + 1',
  onRelease: 'worker_id = null',
  onHandBack: 'tries = greatest(0, t.tries - 1)',
  columns: 't.kind, t.subject_id as id, t.tries',
  notifies: 'digests',
});
