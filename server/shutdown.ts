import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { OpenDatabase } from './database.ts';
import type { RunningService } from './process.ts';
import { closingSeconds } from './runtime/draining.ts';
import { within } from './runtime/timeouts.ts';

/** Seconds after which a process ends even when its database never answers and `SHUTDOWN_SECONDS` is less. */
const minSeconds = 5;

/**
 * Stops a running service within `SHUTDOWN_SECONDS`: it drains for `LAME_DUCK_SECONDS`, or until `hurry` is aborted;
 * then it stops listening, requests and streams end, jobs are handed back, and the database is closed. What has not
 * ended in time is cut: transactions are rolled back, and the leases of jobs run out.
 */
export async function shutDown(
  service: RunningService,
  database: OpenDatabase,
  config: Pick<Config, 'SHUTDOWN_SECONDS' | 'LAME_DUCK_SECONDS'>,
  log: Logger,
  hurry: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + Math.max(minSeconds, config.SHUTDOWN_SECONDS) * 1000;
  const secondsLeft = () => Math.max(0, (deadline - performance.now()) / 1000);
  service.drain();
  await sleep(config.LAME_DUCK_SECONDS * 1000, undefined, { signal: hurry }).catch(() => {});
  const cut = setTimeout(() => {
    log.warn('shutdown timeout reached, connections closed');
    service.app.server.closeAllConnections();
  }, closingSeconds(config) * 1000);
  await within(secondsLeft() - 1, service.close());
  clearTimeout(cut);
  await database.close(secondsLeft());
}
