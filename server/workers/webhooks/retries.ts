import type { Attempt, Failures, Verdict } from '../../../domain/webhooks/attempts.ts';

const minute = 60;
const hour = 60 * minute;

/** The pauses after each try but the last, in seconds: ten tries over about three days. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 18 * hour, 22 * hour];
export const maxTries = pauses.length + 1;
/** The longest `Retry-After` that is honoured. */
const maxRetryAfter = 24 * hour;
/** An endpoint that fails for so long is disabled. */
const maxFailingMs = 5 * 24 * hour * 1000;
/** After so many failures in a row nothing is sent to the endpoint for a while, which doubles up to `maxPause`. */
const failuresBeforePause = 5;
const maxPause = 5 * minute;

/** Up to a tenth longer or shorter: what failed together is not tried together. */
const jittered = (seconds: number) => seconds * (0.9 + Math.random() / 5);

/** `Retry-After` in seconds from `now` on (RFC 9110 §10.2.3); 0 where there is none. */
export function retryAfterOf(headers: Readonly<Record<string, string>>, now: number): number {
  const value = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), maxRetryAfter);
}

/** Seconds until anything is sent to an endpoint that failed so often in a row; null: at once. */
export function pauseOf(failures: number): number | null {
  if (failures < failuresBeforePause) return null;
  return jittered(Math.min(maxPause, 2 ** Math.min(failures - failuresBeforePause, 20)));
}

/** Seconds until a delivery is tried again after so many tries; null after the last one. */
export function retryOf(tries: number, retryAfter = 0): number | null {
  const pause = pauses[tries - 1];
  return pause === undefined ? null : Math.max(jittered(pause), retryAfter);
}

/** What a try means for its delivery and its endpoint. */
export function verdictOf(attempt: Attempt, tries: number, failures: Failures, isSubscription = false): Verdict {
  const { status, responseHeaders } = attempt;
  if (status !== null && status >= 200 && status <= 299) return { status: 'delivered' };
  const pause = pauseOf(failures.count + 1);
  if (status === 410) return { status: 'failed', pause, disable: 'gone' };
  // SEP-3415: a body that is too large is not sent again.
  if (status === 413 && isSubscription) return { status: 'failed', pause, disable: null };
  const retryAfter = retryAfterOf(responseHeaders ?? {}, Date.now());
  const retry = retryOf(tries, retryAfter);
  const disable = failures.forMs >= maxFailingMs ? 'failing' : null;
  return retry === null ? { status: 'failed', pause, disable } : { status: 'pending', retry, pause, disable };
}
