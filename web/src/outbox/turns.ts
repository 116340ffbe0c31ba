/* Which window of a browser does what only one of them may do. */

interface Turn {
  begin(): void;
  end(): void;
}

/**
 * Calls `begin` in the window that has a lock of the browser, and `end` when it no longer has it; returns how to leave.
 * A page that is frozen, or kept for going back, holds no lock. Without Web Locks (plain http) every window has its
 * turn.
 */
export function leadWhileShown(name: string, { begin, end }: Turn): () => void {
  const closing = new AbortController();
  let part: AbortController | null = null;
  const leave = () => {
    part?.abort();
    part = null;
  };
  const join = () => {
    if (part !== null || closing.signal.aborted) return;
    part = new AbortController();
    const { signal } = part;
    if (!('locks' in navigator)) {
      signal.addEventListener('abort', end);
      begin();
      return;
    }
    const hold = () =>
      new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', () => {
          end();
          resolve();
        });
        begin();
      });
    // An abort ends the wait.
    navigator.locks.request(name, { signal }, hold).catch(() => {});
  };
  const on = { signal: closing.signal };
  document.addEventListener('freeze', leave, on);
  document.addEventListener('resume', join, on);
  addEventListener('pagehide', leave, on);
  addEventListener('pageshow', join, on);
  join();
  return () => {
    leave();
    closing.abort();
  };
}
