import { problemOf } from './problem.ts';

/*
 * When what failed is tried again, in ms since 1970: the same where it is shown (ui/countdown.tsx) and where it is
 * done.
 */
const ends = new WeakMap<object, number>();

/**
 * Notes the pause in ms after a failure. It is at least what the service asks for (`Retry-After`), and exactly that
 * where a limit was reached.
 */
export function notePause(error: unknown, ms: number): void {
  if (!(error instanceof Error)) return;
  const { status, retryAfterSeconds = 0 } = problemOf(error);
  const askedMs = retryAfterSeconds * 1000;
  ends.set(error, Date.now() + (status === 429 && askedMs > 0 ? askedMs : Math.max(askedMs, ms)));
}

/** When the pause after a failure is over. One that nobody noted is as long as the service asks. */
export function endOfPause(error: Error): number {
  if (!ends.has(error)) notePause(error, 0);
  return ends.get(error) ?? Date.now();
}
