import type { Logger } from 'pino';
import { throttledWarning } from './throttled-warning.ts';
import { within } from './timeouts.ts';

/** Small tasks that every process with workers repeats. */
export interface Periodic {
  /**
   * Runs `task` about every `seconds`, never twice at a time, first after that time. The pauses vary by a fifth, so
   * that processes that started together spread out. A failure is logged, and the task runs again as usual.
   */
  every(seconds: number, name: string, task: () => Promise<unknown>): void;
  /** Starts nothing more, and waits up to `seconds` for what is in progress: a database may never answer. */
  stop(seconds: number): Promise<void>;
}

/** A set of periodic tasks, empty at first. */
export function createPeriodic(log: Logger): Periodic {
  const timers = new Map<string, NodeJS.Timeout>();
  const inProgress = new Set<Promise<unknown>>();
  const warn = throttledWarning(log);
  let stopped = false;

  const every: Periodic['every'] = (seconds, name, task) => {
    const again = () => {
      if (stopped) return;
      const timer = setTimeout(run, seconds * 1000 * (0.8 + Math.random() * 0.4));
      timer.unref();
      timers.set(name, timer);
    };
    const run = () => {
      const done = task()
        .catch((error: unknown) => warn(error, `periodic task failed, will retry (${name})`))
        .finally(() => {
          inProgress.delete(done);
          again();
        });
      inProgress.add(done);
    };
    again();
  };
  return {
    every,
    stop: async (seconds) => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await within(seconds, Promise.all(inProgress));
    },
  };
}
