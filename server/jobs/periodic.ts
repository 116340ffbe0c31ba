import type { Logger } from 'pino';
import { within } from '../patience.ts';
import { complainer } from './complaints.ts';

/** Small works that every process with workers repeats. */
export interface Periodic {
  /**
   * Does `work` about every `seconds`, never twice at a time, first after that time. The pauses vary, so that processes
   * that started together spread out. A failure is logged, and the next time comes as ever.
   */
  every(seconds: number, name: string, work: () => Promise<unknown>): void;
  /** Starts nothing more, and waits up to `seconds` for what is under way: a database that went silent never ends it. */
  stop(seconds: number): Promise<void>;
}

export function createPeriodic(log: Logger): Periodic {
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Set<Promise<unknown>>();
  const complain = complainer(log);
  let stopped = false;

  const every: Periodic['every'] = (seconds, name, work) => {
    const again = () => {
      if (stopped) return;
      const timer = setTimeout(run, seconds * 1000 * (0.8 + Math.random() * 0.4));
      timer.unref();
      timers.set(name, timer);
    };
    const run = () => {
      const done = work()
        .catch((error: unknown) => complain(error, `the periodic work “${name}” failed; it is tried again`))
        .finally(() => {
          underWay.delete(done);
          again();
        });
      underWay.add(done);
    };
    again();
  };
  return {
    every,
    stop: async (seconds) => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await within(seconds, Promise.all(underWay));
    },
  };
}
