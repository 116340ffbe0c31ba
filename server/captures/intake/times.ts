/** How long the parts of the intake wait, in milliseconds; other times only in tests. */
export interface IntakeTimes {
  /** A connection that stopped renewing for so long holds its recording no more. */
  leaseMs: number;
  renewMs: number;
  /** A recording without new audio for so long is stopped. */
  silenceMs: number;
  /** How often a client is asked whether it still lives; one that missed two is gone. */
  beatMs: number;
  /** The longest that the store may take for one chunk. */
  putMs: number;
  /** For so long a chunk that the store refused is tried again. */
  patienceMs: number;
  /** A client has so long to take leave. */
  goodbyeMs: number;
}

export const usualTimes: IntakeTimes = {
  leaseMs: 10_000,
  renewMs: 3000,
  silenceMs: 300_000,
  beatMs: 15_000,
  putMs: 20_000,
  patienceMs: 5000,
  goodbyeMs: 2000,
};

/** What a client may send. */
export interface IntakeLimits {
  /** Bytes of audio in one chunk. */
  chunkBytes: number;
  /** Chunks that a client may have under way without an acknowledgement. */
  window: number;
  /** Bytes of one connection that wait to be written; beyond that, and beyond the window, nothing more is read. */
  heldBytes: number;
  /** Bytes of all connections that wait; beyond that, one chunk of each may. */
  processBytes: number;
  /** Bytes of a whole recording. */
  recordingBytes: number;
}

export const usualLimits: Omit<IntakeLimits, 'recordingBytes'> = {
  chunkBytes: 1024 * 1024,
  window: 32,
  heldBytes: 4 * 1024 * 1024,
  processBytes: 32 * 1024 * 1024,
};

/** Chunks of a whole recording: ten for each second that it may last. */
export function mostChunks(maxSeconds: number): number {
  return Math.min(10 * maxSeconds, 100_000_000);
}
