import { Pool } from '../../db/pool.ts';

/*
 * TEST_PAUSES=PROBABILITY,MS: requests of a test, and work at the database, pause at random for up to so many
 * milliseconds. A test that relies on what usually happens first fails then in one of a few runs, as it does on a busy
 * machine in one of many.
 */

// Tests freeze the timers of the process (frozen-timers.ts).
const { setTimeout: startTimer } = globalThis;
const [probability = 0, maxMs = 0] = (process.env.TEST_PAUSES ?? '0').split(',').map(Number);

/** Pauses at random, if the test run does. */
export async function mayPause(): Promise<void> {
  if (Math.random() >= probability) return;
  await new Promise<void>((resolve) => {
    startTimer(resolve, Math.random() * maxMs);
  });
}

if (probability > 0) {
  const { use } = Pool.prototype;
  Pool.prototype.use = async function (shares, work) {
    await mayPause();
    const result = await use.call(this, shares, async (connection) => {
      await mayPause();
      const outcome = await work(connection);
      await mayPause();
      return outcome;
    });
    await mayPause();
    return result as Awaited<ReturnType<typeof work>>;
  };
}
