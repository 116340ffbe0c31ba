/** When the active time of a turn is over. */
export interface Deadline {
  /** Aborted then. */
  signal: AbortSignal;
  /** The next `ms` do not count. */
  putOff(ms: number): void;
  /** The time from now until what it returns is called does not count. */
  pause(): () => void;
  stop(): void;
}

/**
 * A deadline in `ms` from now. It is no `AbortSignal.timeout`: one that is combined with another signal stays in memory
 * until its time has come.
 */
export function deadlineIn(ms: number): Deadline {
  const late = new AbortController();
  let at = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    clearTimeout(timer);
    timer = setTimeout(() => late.abort(), Math.max(1, Math.ceil(at - performance.now())));
    timer.unref();
  };
  arm();
  return {
    signal: late.signal,
    putOff: (pause) => {
      at += pause;
      arm();
    },
    pause: () => {
      const began = performance.now();
      clearTimeout(timer);
      return () => {
        at += performance.now() - began;
        arm();
      };
    },
    stop: () => clearTimeout(timer),
  };
}
