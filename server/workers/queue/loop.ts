import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import type { Db } from '../../../db/client.ts';
import { LostLease } from '../../../domain/jobs.ts';
import { startPoller } from '../../runtime/poller.ts';
import { throttledWarning } from '../../runtime/throttled-warning.ts';
import { within } from '../../runtime/timeouts.ts';
import { tracedAsRoot } from '../../tracing/spans.ts';
import { grouped, inTime } from './batches.ts';
import { type LeasedRow, type Leases, renewalsPerLease } from './leases.ts';
import { Ring } from './ring.ts';

/** Why the signal of a job was aborted: the process stops, and another one continues with the job. */
export class ProcessStops extends Error {
  override readonly name = 'ProcessStops';
  constructor() {
    super('The process stops; another one goes on with this job');
  }
}

/** What a handler gets beside its claim. */
export interface Job {
  /** Aborted when the lease is lost, or when the process stops: save nothing more, and reject. */
  signal: AbortSignal;
  /** Renews the lease now, and aborts the signal when it is lost. */
  check(): void;
  /** Looks for work after so many milliseconds: the handler made its work due then. */
  wakeIn(ms: number): void;
}

/**
 * Does the work of one claim. When it resolves, nothing is left to do, or somebody else does it. When it rejects, the
 * work is tried again later; or at once, by another process, when this one stops (but see `keepsLease`).
 */
export type Handler<Claim> = (claim: Claim, job: Job) => Promise<void>;

export interface LoopParts<Claim extends LeasedRow> {
  db: Db;
  log: Logger;
  leases: Leases<Claim>;
  /** Claims worked on at a time. */
  concurrency: number;
  /** Of these, those of one workspace; all when missing. */
  perWorkspace?: number;
  handle: Handler<Claim>;
  /** Deletes the row when `handle` resolves; else the handler ends its work itself. */
  removes?: boolean;
  /** Seconds until work that failed is tried again; `doubling` of its claims when missing. */
  retrySeconds?: (claim: Claim) => number;
  /** The first claim waits for this. */
  after?: Promise<void> | undefined;
  /** Work that was begun and not done is tried again when its lease ends, not before: it may have had its effect. */
  keepsLease?: boolean;
}

/** Claims work of one kind and hands it to a handler, as much at a time as allowed. */
export interface Loop {
  /** There may be new work. */
  wake(): void;
  /** Resolves when the first claim has ended, or when there will be none. */
  readonly first: Promise<void>;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  /** Claims no more, aborts what is in progress and waits up to `seconds`. What is left goes to other processes. */
  stop(seconds: number): Promise<void>;
}

/** How long a notification may be missed: what becomes due in another process and leases that end send none. */
const pollMs = 2000;
/** How often work is recalled that was due before the clock of the database was set back. */
const recallMs = 60_000;
/** Until work is tried again that other processes hold locks on. */
const contendedMs = 100;
/** A loop without room for more is woken by the work that ends. */
const fullMs = 60_000;
/** How long a statement may take: a network that stopped answering gives no error. */
const statementMs = 15_000;
/** The longest pause before work that failed is tried again. */
const maxRetrySeconds = 60;

const handBackSeconds = 5;

/** Seconds until work that failed so often is tried again: 1, 2, 4 … and at most a minute. */
export function doubling(failures: number): number {
  return Math.min(maxRetrySeconds, 2 ** Math.min(Math.max(failures, 1) - 1, 10));
}

export function startLoop<Claim extends LeasedRow>(parts: LoopParts<Claim>): Loop {
  const { db, log, leases, concurrency, perWorkspace, handle, removes = false, keepsLease = false } = parts;
  const { retrySeconds = ({ attempt }) => doubling(attempt) } = parts;
  const workerId = newId();
  const inProgress = new Map<Claim, { lost: AbortController; ending: Promise<void> }>();
  const stopping = new AbortController();
  const counts = { done: 0, failed: 0 };
  const warn = throttledWarning(log);
  const or = (what: string) => (error: unknown) => warn(error, `${what} (${leases.name})`);
  const ring = new Ring();

  const inLimit = <Result>(statement: Promise<Result>) => inTime(statementMs, statement);
  const handBack = (claim: Claim) =>
    inLimit(leases.handBack(db, claim)).catch(or('claim not handed back, its lease will end'));
  const handBackBegun = async (claim: Claim) => {
    if (!keepsLease) await handBack(claim);
  };
  const removed = grouped<Claim>((claims) =>
    inLimit(leases.remove(db, claims)).catch(or('finished jobs not deleted, will be done again')),
  );
  const renew = async (claims: readonly Claim[]) => {
    const held = await inLimit(leases.renew(db, claims));
    for (const claim of claims) if (!held.has(claim)) inProgress.get(claim)?.lost.abort(new LostLease());
  };
  const check = (claims: readonly Claim[]) => renew(claims).catch(or('leases not renewed'));

  const wakeIn = (ms: number) => void setTimeout(() => poller.wake(), ms).unref();

  const work = async (claim: Claim, lost: AbortSignal) => {
    const signal = AbortSignal.any([lost, stopping.signal]);
    try {
      const attributes = { 'tandem.workspace_id': claim.workspaceId };
      await tracedAsRoot(`job ${leases.name}`, { attributes }, () =>
        handle(claim, { signal, check: () => void check([claim]), wakeIn }),
      );
      if (!inProgress.has(claim)) return;
      counts.done++;
      if (removes) removed.add(claim);
    } catch (error) {
      if (!inProgress.has(claim) || lost.aborted || error instanceof LostLease) return;
      if (stopping.signal.aborted) return await handBackBegun(claim);
      counts.failed++;
      const { workspaceId, attempt } = claim;
      log.error({ err: error, work: leases.name, workspaceId, attempt }, 'job failed, will retry');
      if (keepsLease) return;
      const seconds = retrySeconds(claim);
      const giveBack = leases.retry(db, claim, seconds);
      await inLimit(giveBack).catch(or('claim not given back, its lease will end'));
      wakeIn(seconds * 1000);
    }
  };
  const workspacesHeld = () => [...inProgress.keys()].map(({ workspaceId }) => workspaceId);
  const hasShare = ({ workspaceId }: Claim) =>
    perWorkspace !== undefined && workspacesHeld().filter((id) => id === workspaceId).length >= perWorkspace;
  const start = (claim: Claim) => {
    const lost = new AbortController();
    const entry = { lost, ending: Promise.resolve() };
    inProgress.set(claim, entry);
    entry.ending = work(claim, lost.signal).finally(() => {
      // More is claimed only when there may be more than there was room for.
      const wasFull = inProgress.size >= concurrency || hasShare(claim);
      inProgress.delete(claim);
      if (wasFull) poller.wake();
    });
  };

  const claimFree = async (): Promise<number> => {
    const free = concurrency - inProgress.size;
    if (free <= 0) return fullMs;
    const share = perWorkspace === undefined ? undefined : { most: perWorkspace, held: workspacesHeld() };
    const claiming = leases.claim(db, free, workerId, ring.after, share);
    const late = (claims: readonly Claim[]) => void Promise.all(claims.map(handBack));
    const claimed = await inTime(statementMs, claiming, (answer) => late(answer.claims));
    const { claims, found } = claimed;
    if (stopping.signal.aborted) {
      await Promise.all(claims.map(handBack));
      return 0;
    }
    for (const claim of claims) start(claim);
    const hasMore = ring.advance(claimed);
    // There may be more, and room for it by now.
    if (claims.length === free) return 0;
    return hasMore || found > claims.length ? contendedMs : pollMs;
  };
  const poller = startPoller(claimFree, `work not claimed (${leases.name})`, log, parts.after);

  let isRenewing = false;
  const renewals = setInterval(
    async () => {
      if (isRenewing || inProgress.size === 0) return;
      isRenewing = true;
      await check([...inProgress.keys()]);
      isRenewing = false;
    },
    (leases.leaseSeconds * 1000) / renewalsPerLease,
  );
  renewals.unref();
  const recalls = setInterval(() => inLimit(leases.recall(db)).catch(or('work not recalled')), recallMs);
  recalls.unref();

  const stop = async (seconds: number) => {
    stopping.abort(new ProcessStops());
    const endings = () => Promise.allSettled([...inProgress.values()].map(({ ending }) => ending));
    await within(seconds, poller.stop().then(endings));
    clearInterval(renewals);
    clearInterval(recalls);
    const left = [...inProgress.keys()];
    inProgress.clear();
    await within(handBackSeconds, Promise.all([...left.map(handBackBegun), removed.idle()]));
  };
  return {
    wake: poller.wake,
    first: poller.first,
    stop,
    get running() {
      return inProgress.size;
    },
    get done() {
      return counts.done;
    },
    get failed() {
      return counts.failed;
    },
  };
}
