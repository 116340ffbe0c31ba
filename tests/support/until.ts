import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './harness.ts';

/*
 * Waiting without judging speed. No test says how soon something must happen: it waits until it has happened. The one
 * limit is just under that of the runner for a quick test, so that a failure names what was missing.
 */

/** What has not happened after so many milliseconds never will. */
export const maxWaitMs = 100_000;

/** The least and the longest pause before it is asked again: a twentieth of the time waited, in ms. */
const minPauseMs = 20;
const maxPauseMs = 250;

// A test may freeze the timers of the process (frozen-timers.ts), but not this one.
const { setTimeout: startTimer } = globalThis;

/** Asks again until `holds`. @throws Error after `maxWaitMs` with what `describe` returns then. */
export async function until(holds: () => unknown, describe: () => string = () => String(holds)): Promise<void> {
  for (const since = performance.now(); !(await holds()); ) {
    const waited = performance.now() - since;
    if (waited > maxWaitMs) throw new Error(`still not after ${maxWaitMs / 1000} s: ${describe()}`);
    // A caller that is asked for long would use up its requests of a minute.
    await sleep(Math.min(maxPauseMs, Math.max(minPauseMs, waited / 20)));
  }
}

/** What `work` resolves to. @throws Error after `maxWaitMs` with what `describe` returns then. */
export async function within<Result>(describe: () => string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`still not after ${maxWaitMs / 1000} s: ${describe()}`));
    timer = startTimer(fail, maxWaitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An answer that is no 503: asks again when the service says so, as every client has to, for up to `maxWaitMs`. */
export async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = performance.now() + maxWaitMs; ; ) {
    const answer = await ask();
    if (answer.status !== 503 || performance.now() > deadline) return answer;
    await sleep(Number(answer.headers.get('retry-after')) * 1000);
  }
}
