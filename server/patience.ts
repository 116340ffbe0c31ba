import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `work`, but no longer than so many seconds: what waits for a silent database may never end. */
export async function within(seconds: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const limit = sleep(seconds * 1000, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([work, limit]);
  late.abort();
}
