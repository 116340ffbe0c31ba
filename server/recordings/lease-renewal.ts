import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { StopReason } from '../../domain/captures/recording.ts';
import { throttledWarning } from '../runtime/throttled-warning.ts';
import { type Claim, type LeaseStatus, type Progress, releaseClaim, renew } from './claims.ts';
import type { IntakeTimes } from './times.ts';
import { type Instant, msSince, now } from './times.ts';

export type Loss = Exclude<LeaseStatus['status'], 'held'>;

/** The recording is held by another connection, or erased: nothing may be acknowledged from then on. */
export class LeaseLost extends Error {}

/** Called when a renewal finds that the recording changed; each at most once. */
export interface LeaseListener {
  /** It was stopped; it is still held, so that what was received can be written. */
  onStop(reason: StopReason): void;
  /** `reason`: why it was stopped, if it was. */
  onLoss(loss: Loss, reason: StopReason | null): void;
}

/** The hold of one connection on its recording. */
export interface Lease {
  /**
   * Resolves when it is certain that nobody else holds the recording; waits while renewals are late.
   * @throws LeaseLost
   */
  held(): Promise<void>;
  /** Audio was made durable. */
  wrote(sizeBytes: number): void;
  /** What the recording has before this connection adds to it. */
  begin(chunks: number, sizeBytes: number): void;
  /** Ends the renewals: the lease runs out by itself. */
  drop(): void;
  /** Ends the renewals and releases the recording at once. No write may be under way. */
  release(): Promise<void>;
}

interface Holding {
  claim: Claim;
  listener: LeaseListener;
  /** Null until the chunks in the store were counted. */
  written: { chunks: number; sizeBytes: number } | null;
  lastAudio: Instant | null;
  /** Before the database set the lease that holds now. */
  renewed: Instant;
  stopNotified: boolean;
  loss: Loss | null;
}

/** The leases of one process, and their renewal. */
export interface LeaseRenewal {
  /** Renews the lease of `claim` until it is dropped, released or lost. `since`: before the claim was made. */
  hold(claim: Claim, since: Instant, listener: LeaseListener): Lease;
  /** Renews at once when the recording is held here, and finds out whether it was stopped or taken over. */
  renewNow(recordingId?: string): void;
  close(): void;
}

/** The share of a lease after which its holder no longer relies on it: clocks differ in speed. */
const trustedShare = 0.9;

function progressOf({ written, lastAudio }: Holding): Progress {
  const { chunks = null, sizeBytes = null } = written ?? {};
  return { chunks, sizeBytes, quietMs: lastAudio && msSince(lastAudio) };
}

/** Renews the leases of all connections together, every `renewMs` and on a notification. */
export function createLeaseRenewal(db: Db, times: Pick<IntakeTimes, 'leaseMs' | 'renewMs'>, log: Logger): LeaseRenewal {
  const holdings = new Map<string, Holding>();
  const warn = throttledWarning(log);
  let nextRenewal = Promise.withResolvers<void>();
  let [isRenewing, again] = [false, false];

  const lose = (holding: Holding, loss: Loss, reason: StopReason | null) => {
    holdings.delete(holding.claim.holder);
    holding.loss = loss;
    holding.listener.onLoss(loss, reason);
  };
  const apply = (holding: Holding, { status, stopped }: LeaseStatus, since: Instant, reported: Instant | null) => {
    if (status !== 'held') return lose(holding, status, stopped);
    holding.renewed = since;
    if (holding.lastAudio === reported) holding.lastAudio = null;
    if (!stopped || holding.stopNotified) return;
    holding.stopNotified = true;
    holding.listener.onStop(stopped);
  };
  const renewOnce = async () => {
    const held = [...holdings.values()];
    if (held.length === 0) return;
    const reported = new Map(held.map((each) => [each, each.lastAudio]));
    const since = now();
    const claims = held.map((each) => ({ claim: each.claim, progress: progressOf(each) }));
    for (const status of await renew(db, claims, times.leaseMs)) {
      const holding = holdings.get(status.holder);
      if (holding && reported.has(holding)) apply(holding, status, since, reported.get(holding) ?? null);
    }
  };
  const renewNow = async () => {
    again = true;
    if (isRenewing) return;
    isRenewing = true;
    while (again) {
      again = false;
      await renewOnce().catch((error: unknown) => warn(error, 'recording leases not renewed, will retry'));
      const done = nextRenewal;
      nextRenewal = Promise.withResolvers();
      done.resolve();
    }
    isRenewing = false;
  };
  const timer = setInterval(renewNow, times.renewMs);
  timer.unref();

  const leaseOf = (holding: Holding): Lease => ({
    held: async () => {
      for (;;) {
        const { loss, renewed, claim } = holding;
        // A connection that replaces this one waits until this lease would have run out.
        if (loss === 'erased' || loss === 'lapsed' || loss === 'revoked') throw new LeaseLost();
        if (msSince(renewed) < trustedShare * times.leaseMs) return;
        if (!holdings.has(claim.holder)) throw new LeaseLost();
        await nextRenewal.promise;
      }
    },
    wrote: (sizeBytes) => {
      const { chunks, sizeBytes: before } = holding.written ?? { chunks: 0, sizeBytes: 0 };
      holding.written = { chunks: chunks + 1, sizeBytes: before + sizeBytes };
      holding.lastAudio = now();
    },
    begin: (chunks, sizeBytes) => {
      holding.written = { chunks, sizeBytes };
    },
    drop: () => {
      holdings.delete(holding.claim.holder);
    },
    release: async () => {
      holdings.delete(holding.claim.holder);
      await releaseClaim(db, holding.claim, progressOf(holding));
    },
  });

  return {
    hold: (claim, since, listener) => {
      const start = { written: null, lastAudio: null, stopNotified: false, loss: null };
      const holding: Holding = { claim, listener, renewed: since, ...start };
      holdings.set(claim.holder, holding);
      return leaseOf(holding);
    },
    renewNow: (recordingId) => {
      const isHeldHere = [...holdings.values()].some(({ claim }) => claim.recordingId === recordingId);
      if (recordingId === undefined || isHeldHere) void renewNow();
    },
    close: () => clearInterval(timer),
  };
}
