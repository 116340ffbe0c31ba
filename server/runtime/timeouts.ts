import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with `work`, or after `seconds` at the latest: what depends on an unresponsive database may never end. */
export async function within(seconds: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(seconds * 1000, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([work, timeout]);
  late.abort();
}

/** @throws what `work` throws, or `fault()` once it has taken longer than `ms`. The work itself is not stopped. */
export async function withTimeout(ms: number, work: Promise<unknown>, fault: () => Error): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal, ref: false }).then(() => {
    throw fault();
  });
  timeout.catch(() => {});
  work.catch(() => {});
  await Promise.race([work, timeout]).finally(() => late.abort());
}
