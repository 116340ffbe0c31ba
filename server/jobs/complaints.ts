import type { Logger } from 'pino';

const quietMs = 60_000;

/** Warns of what goes on going wrong once a minute, and between that at the level `debug`. */
export function complainer(log: Logger): (error: unknown, what: string) => void {
  const last = new Map<string, number>();
  return (error, what) => {
    const now = Date.now();
    const level = now - (last.get(what) ?? -quietMs) < quietMs ? 'debug' : 'warn';
    if (level === 'warn') last.set(what, now);
    log[level]({ err: error }, what);
  };
}
