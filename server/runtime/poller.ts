import type { Logger } from 'pino';
import { throttledWarning } from './throttled-warning.ts';

/** Calls a function again and again, one call at a time. */
export interface Poller {
  /** Ends the pause before the next call. */
  wake(): void;
  /** Resolves when the first call has ended, or when there will be none. */
  readonly first: Promise<void>;
  /** Makes no more calls. Resolves when the one in progress has ended. */
  stop(): Promise<void>;
}

/** The pause after a call that failed, in milliseconds. */
const pauseAfterFailureMs = 1000;

/**
 * Calls `poll` at once, and again after each pause; `poll` returns the pause in milliseconds. A pause may be shorter by
 * up to a fifth, so that processes that started together spread out. It is never longer, so that due work does not
 * wait. A failure is logged as `failure`, and `poll` is called again. The first call waits for `after`.
 */
export function startPoller(poll: () => Promise<number>, failure: string, log: Logger, after?: Promise<void>): Poller {
  const warn = throttledWarning(log);
  let stopped = false;
  let isWoken = false;
  let endPause = () => {};
  const first = Promise.withResolvers<void>();

  const pause = async (ms: number) => {
    if (isWoken || stopped || ms === 0) return;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, ms * (1 - Math.random() / 5));
    timer.unref();
    // Not by an `AbortController`: each of its aborts makes two errors with their stacks.
    endPause = over.resolve;
    await over.promise;
    clearTimeout(timer);
  };
  const run = async () => {
    if (after) await after;
    while (!stopped) {
      isWoken = false;
      const ms = await poll().catch((error: unknown) => {
        warn(error, failure);
        return pauseAfterFailureMs;
      });
      first.resolve();
      await pause(ms);
    }
    first.resolve();
  };
  const running = run();

  return {
    wake: () => {
      isWoken = true;
      endPause();
    },
    first: first.promise,
    stop: () => {
      stopped = true;
      endPause();
      return running;
    },
  };
}
