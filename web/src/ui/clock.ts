import { useSyncExternalStore } from 'react';

/* What a page says about the present time, which passes while nothing else happens. */

const tickMs = 30_000;
const readers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => {
    for (const each of [...readers]) each();
  }, tickMs);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * What `read` makes of the present time. Rendered anew when that has become another value, half a minute later at most.
 */
export function useClock<Value extends string | number | null>(read: () => Value): Value {
  return useSyncExternalStore(subscribe, read);
}

/** The time in milliseconds since 1970, as it was at most half a minute ago. */
export function useNow(): number {
  return useClock(() => Math.floor(Date.now() / tickMs) * tickMs);
}
