import type { Logger } from 'pino';
import type { RecordingContext } from '../../domain/captures/recording.ts';
import type { ChunkStore } from './chunks.ts';
import type { Claim } from './claims.ts';
import type { RecordingEvents } from './events.ts';
import type { LeaseRenewal } from './lease-renewal.ts';
import type { Instant, IntakeLimits, IntakeTimes } from './times.ts';

/** What the connections of one process share. */
export interface ConnectionParts extends RecordingContext {
  store: ChunkStore;
  leases: LeaseRenewal;
  events: RecordingEvents;
  log: Logger;
  times: IntakeTimes;
  limits: IntakeLimits;
  /** Audio that is queued to be written, of all connections of this process. */
  queued: { bytes: number };
  /** Called with the number of bytes of audio that were made durable. */
  onWritten(bytes: number): void;
}

/** The right of a client to be connected to its recording. */
export interface Admission {
  claim: Claim;
  resumeToken: string;
  /** Before the claim was made. */
  claimedAt: Instant;
  /** Ends the count of its socket. */
  stopCounting: () => void;
}
