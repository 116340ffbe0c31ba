/** Intervals and timeouts of the intake, in milliseconds; others only in tests. */
export interface IntakeTimes {
  /** A connection that has not renewed its lease for this long no longer holds its recording. */
  leaseMs: number;
  renewMs: number;
  /** A recording without new audio for this long is stopped. */
  silenceMs: number;
  /** When no run looked for silence for so long, the service was away. */
  awayMs: number;
  /**
   * After the service was away, or has started, silence stops no recording for so long: recorders reconnect and send
   * what they have.
   */
  returnMs: number;
  /** Between two pings; a client that missed two is cut off. */
  heartbeatMs: number;
  /** Timeout of the store for one chunk. */
  putMs: number;
  /** For this long a chunk that the store refused is tried again. */
  retryMs: number;
  /** Timeout of the closing handshake. */
  closeMs: number;
}

export const defaultTimes: IntakeTimes = {
  leaseMs: 10_000,
  renewMs: 3000,
  silenceMs: 300_000,
  awayMs: 60_000,
  returnMs: 120_000,
  heartbeatMs: 15_000,
  putMs: 20_000,
  retryMs: 5000,
  closeMs: 2000,
};

/** What a client may send. */
export interface IntakeLimits {
  /** Bytes of audio in one chunk. */
  maxChunkBytes: number;
  /** Chunks that a client may have under way without an acknowledgement. */
  window: number;
  /**
   * Bytes of one connection that are queued to be written; beyond that, and beyond the window, nothing more is read.
   */
  maxQueuedBytes: number;
  /** Queued bytes of all connections; beyond that, one chunk of each may be queued. */
  maxProcessBytes: number;
  /** Bytes of a whole recording. */
  maxRecordingBytes: number;
}

export const defaultLimits: Omit<IntakeLimits, 'maxRecordingBytes'> = {
  maxChunkBytes: 1024 * 1024,
  window: 32,
  maxQueuedBytes: 4 * 1024 * 1024,
  maxProcessBytes: 32 * 1024 * 1024,
};

/** Chunks of a whole recording: ten for each second that it may last. */
export function maxChunks(maxSeconds: number): number {
  return Math.min(10 * maxSeconds, 100_000_000);
}

/**
 * An instant on both clocks of this machine: the monotonic one stops while the machine sleeps, and the other one may be
 * set.
 */
export interface Instant {
  monotonic: number;
  wall: number;
}

/** The current instant. */
export function now(): Instant {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds since then, by the clock that shows more. */
export function msSince({ monotonic, wall }: Instant): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
