import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import type { StopReason } from '../../../routers/captures/recording.ts';
import { complainer } from '../../jobs/complaints.ts';
import { type Claim, letGo, type Progress, renew, type Standing } from './claims.ts';
import { type Moment, moment, msSince } from './moment.ts';
import type { IntakeTimes } from './times.ts';

export type Loss = Exclude<Standing['is'], 'held'>;

/** The recording is another's, or gone: nothing may be acknowledged any more. */
export class LeaseLost extends Error {}

/** What the keeper tells a connection of its recording; each at most once. */
export interface Ear {
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
  /** Ends the renewals and lets somebody else have it at once. No write may be under way. */
  release(): Promise<void>;
}

interface Holding {
  claim: Claim;
  ear: Ear;
  /** Null until the store was asked what there is. */
  written: { chunks: number; sizeBytes: number } | null;
  lastAudio: Moment | null;
  /** Before the database set the lease that holds now. */
  renewed: Moment;
  stopTold: boolean;
  loss: Loss | null;
}

/** The leases of one process. */
export interface Keeper {
  /** `since`: before the claim was made. */
  hold(claim: Claim, since: Moment, ear: Ear): Lease;
  /** Looks at once how the recording stands, if it is held here. */
  look(recordingId?: string): void;
  close(): void;
}

/** The share of a lease after which its holder trusts it no more: clocks do not run alike. */
const trusted = 0.9;

function progressOf({ written, lastAudio }: Holding): Progress {
  const { chunks = null, sizeBytes = null } = written ?? {};
  return { chunks, sizeBytes, quietMs: lastAudio && msSince(lastAudio) };
}

/** Renews the leases of all connections together, every `renewMs` and when there is news. */
export function createKeeper(db: Db, times: Pick<IntakeTimes, 'leaseMs' | 'renewMs'>, log: Logger): Keeper {
  const holdings = new Map<string, Holding>();
  const complain = complainer(log);
  let looked = Promise.withResolvers<void>();
  let [isLooking, again] = [false, false];

  const lose = (holding: Holding, loss: Loss, reason: StopReason | null) => {
    holdings.delete(holding.claim.holder);
    holding.loss = loss;
    holding.ear.onLoss(loss, reason);
  };
  const learn = (holding: Holding, { is, stopped }: Standing, since: Moment, told: Moment | null) => {
    if (is !== 'held') return lose(holding, is, stopped);
    holding.renewed = since;
    if (holding.lastAudio === told) holding.lastAudio = null;
    if (!stopped || holding.stopTold) return;
    holding.stopTold = true;
    holding.ear.onStop(stopped);
  };
  const lookOnce = async () => {
    const held = [...holdings.values()];
    if (held.length === 0) return;
    const told = new Map(held.map((each) => [each, each.lastAudio]));
    const since = moment();
    const claims = held.map((each) => ({ claim: each.claim, progress: progressOf(each) }));
    for (const standing of await renew(db, claims, times.leaseMs)) {
      const holding = holdings.get(standing.holder);
      if (holding && told.has(holding)) learn(holding, standing, since, told.get(holding) ?? null);
    }
  };
  const look = async () => {
    again = true;
    if (isLooking) return;
    isLooking = true;
    while (again) {
      again = false;
      await lookOnce().catch((error: unknown) => complain(error, 'leases of recordings could not be renewed'));
      const done = looked;
      looked = Promise.withResolvers();
      done.resolve();
    }
    isLooking = false;
  };
  const timer = setInterval(look, times.renewMs);
  timer.unref();

  const leaseOf = (holding: Holding): Lease => ({
    held: async () => {
      for (;;) {
        const { loss, renewed, claim } = holding;
        // One that replaces this connection waits until its lease would have run out.
        if (loss === 'erased' || loss === 'lapsed') throw new LeaseLost();
        if (msSince(renewed) < trusted * times.leaseMs) return;
        if (!holdings.has(claim.holder)) throw new LeaseLost();
        await looked.promise;
      }
    },
    wrote: (sizeBytes) => {
      const { chunks, sizeBytes: before } = holding.written ?? { chunks: 0, sizeBytes: 0 };
      holding.written = { chunks: chunks + 1, sizeBytes: before + sizeBytes };
      holding.lastAudio = moment();
    },
    begin: (chunks, sizeBytes) => {
      holding.written = { chunks, sizeBytes };
    },
    drop: () => {
      holdings.delete(holding.claim.holder);
    },
    release: async () => {
      holdings.delete(holding.claim.holder);
      await letGo(db, holding.claim, progressOf(holding));
    },
  });

  return {
    hold: (claim, since, ear) => {
      const start = { written: null, lastAudio: null, stopTold: false, loss: null };
      const holding: Holding = { claim, ear, renewed: since, ...start };
      holdings.set(claim.holder, holding);
      return leaseOf(holding);
    },
    look: (recordingId) => {
      const concerned = [...holdings.values()].some(({ claim }) => claim.recordingId === recordingId);
      if (recordingId === undefined || concerned) void look();
    },
    close: () => clearInterval(timer),
  };
}
