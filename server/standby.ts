import type { Logger } from 'pino';
import type { ReadableStandby } from '../adapters/rest/stale-reads.ts';
import type { Database } from '../db/client.ts';
import { Standby, type StandbyStatus } from '../db/standby/standby.ts';
import type { Config } from './config.ts';
import type { Measure } from './runtime/metrics.ts';
import { type Poller, startPoller } from './runtime/poller.ts';
import { observeStatements } from './runtime/statements.ts';
import { within } from './runtime/timeouts.ts';

/** Reads from the server at `DATABASE_READ_URL`, if there is one. */
export interface StandbyReads extends ReadableStandby {
  /** Undefined without a standby. */
  readonly status: StandbyStatus | undefined;
  readonly measures: readonly Measure[];
  /** Begins to examine the standby again and again. */
  start(): void;
  /** Waits up to `seconds` for what is in progress. */
  close(seconds: number): Promise<void>;
}

/** Time between two beats in ms: while requests ask for the standby or it is behind, and else. */
const pauses = { asked: 500, idle: 10_000 };
/** A standby that is behind for so long after the start is reported, in ms. */
const firstBeatMs = 5000;
/** A request that was this long ago counts as asking, in ms. */
const askedMs = 60_000;

function measuresOf(standby: Standby | undefined, counts: { asked: number; answered: number }): Measure[] {
  return [
    {
      kind: 'gauge',
      name: 'tandem_standby_up',
      help: 'Whether the standby is read from: 1 or 0',
      read: () => (standby?.status === 'ok' ? 1 : 0),
    },
    {
      kind: 'gauge',
      name: 'tandem_standby_age_seconds',
      help: 'Age that the data of the standby may have at most; NaN while it is not known',
      read: () => (standby?.ageMs ?? Number.NaN) / 1000,
    },
    {
      kind: 'counter',
      name: 'tandem_standby_requests_total',
      help: 'Reads that accept an answer from the standby',
      read: () => counts.asked,
    },
    {
      kind: 'counter',
      name: 'tandem_standby_answers_total',
      help: 'Reads that the standby answered',
      read: () => counts.answered,
    },
  ];
}

/**
 * Opens the standby of the configuration. One that cannot be reached is tried again; reads use the primary meanwhile.
 * @throws StandbyError or SharedSessionError when it leads to another database or to sessions that are shared.
 */
export async function openStandbyReads(config: Config, db: Database, log: Logger): Promise<StandbyReads> {
  const url = config.DATABASE_READ_URL;
  const observe = observeStatements(log, config.SLOW_STATEMENT_MS);
  const standby =
    url === undefined ? undefined : new Standby(db, { url, poolSize: config.DATABASE_POOL_SIZE, observe });
  const counts = { asked: 0, answered: 0 };
  let askedAt = Number.NEGATIVE_INFINITY;
  let logged: StandbyStatus = 'starting';
  let poller: Poller | undefined;
  await standby?.examine();

  const openedAt = performance.now();
  const report = (status: StandbyStatus, error: unknown) => {
    if (status === logged) return;
    if (status === 'behind' && logged === 'starting' && performance.now() - openedAt < firstBeatMs) return;
    logged = status;
    if (status === 'ok') log.info('standby in use');
    else log.warn({ status, err: error }, 'standby not in use, the primary answers its reads');
  };
  const poll = async (watched: Standby) => {
    const error = await watched.probe();
    const { status } = watched;
    report(status, error);
    return performance.now() - askedAt < askedMs || status === 'behind' ? pauses.asked : pauses.idle;
  };
  return {
    get status() {
      return standby?.status;
    },
    measures: measuresOf(standby, counts),
    read: (workspaceId, maxAgeMs) => {
      if (!standby) return undefined;
      const now = performance.now();
      if (now - askedAt >= askedMs) poller?.wake();
      askedAt = now;
      counts.asked++;
      const read = standby.read(workspaceId, maxAgeMs);
      return read && { ...read, answered: () => void counts.answered++ };
    },
    start: () => {
      if (standby) poller = startPoller(() => poll(standby), 'standby not examined, will retry', log);
    },
    close: async (seconds) => {
      await within(seconds, poller?.stop() ?? Promise.resolve());
      await standby?.close(seconds);
    },
  };
}
