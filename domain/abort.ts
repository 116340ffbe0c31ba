const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

function listeners(signal: AbortSignal): Set<() => void> {
  const known = listenersOf.get(signal);
  if (known) return known;
  const added = new Set<() => void>();
  listenersOf.set(signal, added);
  const abort = () => {
    for (const listener of [...added]) listener();
  };
  signal.addEventListener('abort', abort, { once: true });
  return added;
}

/**
 * Calls `listener` when the signal aborts, until the returned function is called. For signals with thousands of
 * listeners: an AbortSignal takes time in proportion to their number to remove one.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const added = listeners(signal);
  added.add(listener);
  return () => added.delete(listener);
}
