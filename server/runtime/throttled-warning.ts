import type { Logger } from 'pino';

const minIntervalMs = 60_000;

/** Logs each `message` as a warning once a minute at most, and at the level `debug` in between. */
export function throttledWarning(log: Logger): (error: unknown, message: string) => void {
  const last = new Map<string, number>();
  return (error, message) => {
    // Not the time of day, which can be set back.
    const now = performance.now();
    const level = now - (last.get(message) ?? -minIntervalMs) < minIntervalMs ? 'debug' : 'warn';
    if (level === 'warn') last.set(message, now);
    log[level]({ err: error }, message);
  };
}
