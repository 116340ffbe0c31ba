import { ProblemError } from './problem.ts';

/* Reads that are not answered: a connection may be lost without a sign of it. */

/**
 * An answer that has not begun after this time is given up, in ms. After one that was, the next may take twice as long.
 */
const firstMs = 10_000;
const maxMs = 60_000;
let timeoutMs = firstMs;

/** The `reason` of the problem of a read without an answer. */
export const unanswered = 'no_answer';

/**
 * Sends a read. A slow network is no failure: only the beginning of the answer counts, and where that comes late, the
 * next ones are waited for longer.
 * @throws ProblemError when the answer does not begin in time.
 */
export async function inTime(
  send: (signal: AbortSignal) => Promise<Response>,
  given?: AbortSignal | null,
): Promise<Response> {
  const late = new AbortController();
  const ms = timeoutMs;
  const failure = new ProblemError({
    status: 0,
    code: 'unreachable',
    reason: unanswered,
    message: `The service has not answered for ${ms / 1000} seconds. Check your connection, or try again.`,
    retryable: true,
    errors: [],
  });
  const begun = Date.now();
  const overdue = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeoutMs = Math.min(maxMs, ms * 2);
    overdue.reject(failure);
    late.abort(failure);
  }, ms);
  try {
    const response = await Promise.race([
      send(given ? AbortSignal.any([given, late.signal]) : late.signal),
      overdue.promise,
    ]);
    if (Date.now() - begun < firstMs) timeoutMs = firstMs;
    return response;
  } finally {
    clearTimeout(timer);
  }
}
