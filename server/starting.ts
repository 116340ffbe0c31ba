import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { requireDistributed } from '../db/engine-check.ts';
import { isTransactionConflict, isUnavailable } from '../db/errors.ts';
import { claimAudioStore } from './audio-claim.ts';
import type { Config } from './config.ts';
import { checkCommitOrder, type OpenDatabase, openDatabase } from './database.ts';
import { type RunningService, startService } from './process.ts';
import { throttledWarning } from './runtime/throttled-warning.ts';
import { describeStartError, StartError } from './start-errors.ts';
import { listenWhileWaiting } from './waiting.ts';

export interface Started {
  service: RunningService;
  database: OpenDatabase;
}

/** How long the database may take to answer before the port answers for the process that starts. */
const quickMs = 1000;
const pauseMs = 1000;

async function close(server: Server | undefined): Promise<void> {
  if (!server?.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * Opens the database and starts the service. While a database server is unreachable, starting or full, it waits;
 * meanwhile `/healthz` answers 200 and everything else 503. Null when `stopping` is aborted while it waits.
 * @throws for what waiting cannot solve: wrong settings, password or database name, a failing migration, a port that is
 * taken, another process that stores audio elsewhere.
 */
export async function startWhenAvailable(config: Config, log: Logger, stopping: AbortSignal): Promise<Started | null> {
  const warn = throttledWarning(log);
  const waits = config.DATABASE_URL !== undefined;
  let waiting: Promise<Server> | undefined;

  const listen = async () => {
    waiting ??= listenWhileWaiting(config);
    await waiting;
  };
  const start = async (): Promise<Started> => {
    const quick = waits ? setTimeout(() => listen().catch(() => {}), quickMs) : undefined;
    const database = await openDatabase(config, log).finally(() => clearTimeout(quick));
    try {
      if (database.db.engine === 'citus') await requireDistributed(database.db.driver);
      if (waits) await checkCommitOrder(database.db, log);
      // An embedded database is used by one process.
      const onSession = waits ? await claimAudioStore(config, database.db.driver, log) : undefined;
      await close(await waiting);
      waiting = undefined;
      return { database, service: await startService(config, database.db, log, onSession && { onSession }) };
    } catch (error) {
      await database.close();
      if (waits && isUnavailable(error)) throw error;
      throw new StartError(describeStartError(error, config.HOST, config.PORT), { cause: error });
    }
  };
  const startOrNull = async (): Promise<Started | null> => {
    try {
      return await start();
    } catch (error) {
      if (!waits || !(isUnavailable(error) || isTransactionConflict(error))) throw error;
      warn(error, 'database unavailable, the start waits for it: check DATABASE_URL and that the database runs');
      await listen().catch((refused: unknown) => {
        throw new StartError(describeStartError(refused, config.HOST, config.PORT), { cause: refused });
      });
      return null;
    }
  };
  const stopped = new Promise<null>((resolve) => stopping.addEventListener('abort', () => resolve(null)));
  try {
    while (!stopping.aborted) {
      const started = startOrNull();
      // An embedded database that is being started is stopped properly.
      const outcome = await (waits ? Promise.race([started, stopped]) : started);
      if (outcome) return outcome;
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
    }
    return null;
  } finally {
    await close(await waiting?.catch(() => undefined));
  }
}
