import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/*
 * A clock that goes on as soon as nothing else is to be done, for what is not connected to anything that runs in real
 * time.
 */

interface Timer {
  at: number;
  callback: () => void;
}

/** Runs `work` while timers end in their order without being waited for; `Date.now` is the time of the last one. */
export async function inVirtualTime<Result>(work: () => Promise<Result>): Promise<Result> {
  // The runner gives the next file another process while this holds.
  Object.assign(globalThis, { timersAreFrozen: true });
  const { setTimeout, clearTimeout } = globalThis;
  const { setTimeout: sleep } = promises;
  const { now } = Date;
  let time = now();
  const timers = new Set<Timer>();
  const start = (callback: () => void, ms = 0) => {
    const timer = { at: time + ms, callback };
    timers.add(timer);
    return timer;
  };
  Date.now = () => time;
  Object.assign(globalThis, { setTimeout: start, clearTimeout: (timer: Timer) => timers.delete(timer) });
  Object.assign(promises, { setTimeout: (ms: number) => new Promise<void>((resolve) => start(resolve, ms)) });
  syncBuiltinESMExports();
  try {
    const working = work().finally(() => clearInterval(pump));
    // In real time: what a timer starts has ended before the next one.
    const pump = setInterval(() => {
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (!next) return;
      timers.delete(next);
      time = Math.max(time, next.at);
      next.callback();
    }, 1);
    return await working;
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout, timersAreFrozen: false });
    Object.assign(promises, { setTimeout: sleep });
    Date.now = now;
    syncBuiltinESMExports();
  }
}
