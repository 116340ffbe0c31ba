import { setImmediate } from 'node:timers/promises';

/** Milliseconds that long work may block the event loop. */
const maxBlockingMs = 20;

/**
 * Goes through the items, and lets the rest of the process have its turn in between.
 * @throws the signal's reason, when it is aborted.
 */
export async function inTurns<Item>(
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item) => void,
): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - began < maxBlockingMs) continue;
    await setImmediate();
    signal.throwIfAborted();
    began = performance.now();
  }
}
