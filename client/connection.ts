/** A stream without data for this long is reopened. */
const idleTimeoutMs = 45_000;

/** Resolves after `ms`, and at once when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}

/**
 * What one connection sends. It is closed when the caller stops reading, and when nothing came for 45 seconds.
 * @throws TRPCClientError when it is lost or cannot be opened.
 */
export async function* connect<Sent>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<Sent>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Sent> {
  const idle = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), idleTimeoutMs);
  };
  try {
    restartTimer();
    for await (const sent of await open(signal ? AbortSignal.any([signal, idle.signal]) : idle.signal)) {
      restartTimer();
      yield sent;
    }
  } finally {
    clearTimeout(timer);
    idle.abort();
  }
}
