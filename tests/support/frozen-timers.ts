import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/* Timers that never end: what still happens is caused by an event, not by a poll, a lease renewal or a timeout. */

/** As long as a timer can be: 25 days. */
const foreverMs = 2 ** 31 - 1;

interface Internals {
  _idleTimeout: number;
  _repeat: number | null;
}

type Start = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

/**
 * From now on no timer of `fromMs` milliseconds or more ends in this process; shorter ones run, and so do those that
 * were started before. Returns what starts all of them.
 */
export function freezeTimers(fromMs = 1000): () => void {
  // The runner gives the next file another process while this holds.
  Object.assign(globalThis, { timersAreFrozen: true });
  const { setTimeout, setInterval } = globalThis;
  const { setTimeout: sleep } = promises;
  const frozen: { timer: NodeJS.Timeout & Internals; ms: number }[] = [];
  const thawed = new AbortController();

  // A module that is loaded meanwhile may keep these functions: afterwards they start timers as any other.
  const isShort = (ms: number) => ms < fromMs || thawed.signal.aborted;
  const freezing =
    (start: Start): Start =>
    (callback, ms = 0, ...args) => {
      if (isShort(ms)) return start(callback, ms, ...args);
      const timer = start(callback, foreverMs, ...args) as NodeJS.Timeout & Internals;
      frozen.push({ timer, ms });
      return timer;
    };
  const frozenSleep = async <Value>(ms = 0, value?: Value, options: { signal?: AbortSignal; ref?: boolean } = {}) => {
    if (!isShort(ms)) {
      const signal = AbortSignal.any([thawed.signal, ...(options.signal ? [options.signal] : [])]);
      await sleep(foreverMs, undefined, { ...options, signal }).catch(() => {});
    }
    return sleep(ms, value, options);
  };
  globalThis.setTimeout = freezing(setTimeout as Start) as typeof setTimeout;
  globalThis.setInterval = freezing(setInterval as Start) as typeof setInterval;
  promises.setTimeout = frozenSleep as typeof sleep;
  syncBuiltinESMExports();

  return () => {
    Object.assign(globalThis, { setTimeout, setInterval });
    promises.setTimeout = sleep;
    syncBuiltinESMExports();
    Object.assign(globalThis, { timersAreFrozen: false });
    thawed.abort();
    // Emptied, as a timer that has ended since would be started again by a second call.
    for (const { timer, ms } of frozen.splice(0)) {
      // A timer that was cleared has -1; only these fields of Node's change the time of one that runs.
      if (timer._idleTimeout === -1) continue;
      timer._idleTimeout = ms;
      if (timer._repeat) timer._repeat = ms;
      timer.refresh();
    }
  };
}

/** Runs `work` while no timer of `fromMs` milliseconds or more ends. */
export async function withFrozenTimers<Result>(work: () => Promise<Result>, fromMs?: number): Promise<Result> {
  const thaw = freezeTimers(fromMs);
  try {
    return await work();
  } finally {
    thaw();
  }
}
