import type { Logger } from 'pino';
import type { RunningService } from './process.ts';
import { releaseStartMemory } from './runtime/start-memory.ts';

/**
 * Work of about 0.2 s that nobody waits for is done this long after the start, when the first requests are answered.
 */
export const settleAfterMs = 2000;

/**
 * Makes, once, what the first request for it would wait for, and frees the memory that the start left behind. `release`
 * blocks the process for two collections of the whole heap, which take longer the more is alive: call it only here.
 */
export function settleLater(
  { prepare }: Pick<RunningService, 'prepare'>,
  log: Pick<Logger, 'error'>,
  release = releaseStartMemory,
): void {
  const settle = () => {
    try {
      prepare();
    } catch (error) {
      log.error({ err: error }, 'OpenAPI document not made');
    }
    release();
  };
  setTimeout(settle, settleAfterMs).unref();
}
