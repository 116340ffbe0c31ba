import type { CatalogueOperation } from './catalogue.ts';

interface Limits {
  /** Attempts per request. */
  maxTries: number;
  /** Total time that one request may spend between attempts, in ms. */
  maxTotalWaitMs: number;
}

const usualLimits: Limits = { maxTries: 5, maxTotalWaitMs: 120_000 };

/** Error codes where the request was never sent. */
const neverSent = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const lost = new Set([...neverSent, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT']);

/** Code and message of the innermost cause of a failed `fetch`. */
export function causeOf(error: unknown): { code: string; message: string } {
  let inner = error as { code?: string; message?: string; cause?: unknown; errors?: unknown[] };
  for (let depth = 0; depth < 4; depth++) {
    const next = (inner.cause ?? inner.errors?.[0]) as typeof inner | undefined;
    if (!next) break;
    inner = next;
  }
  return { code: inner.code ?? '', message: inner.message ?? String(error) };
}

/** Whether a repetition is harmless: reads, and writes with an idempotency key. */
function isRepeatable({ method, keyed }: Pick<CatalogueOperation, 'method' | 'keyed'>): boolean {
  return method === 'GET' || keyed;
}

/** Whether a request may be sent again after a connection error. */
export function isRetryable(operation: Pick<CatalogueOperation, 'method' | 'keyed'>, error: unknown): boolean {
  const { code } = causeOf(error);
  return neverSent.has(code) || (isRepeatable(operation) && lost.has(code));
}

/** Whether a request without a response may have been processed. */
export function mayHaveArrived(error: unknown): boolean {
  const { code } = causeOf(error);
  return !neverSent.has(code) && code !== 'ENOTFOUND';
}

/** Whether an error response does not say if the request was processed: one of a gateway, or of a lost database. */
export function isUncertain(status: number): boolean {
  return status >= 502 && status <= 504;
}

/** Seconds of a `Retry-After` header: a number or a date (RFC 9110 §10.2.3). */
function retryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/**
 * Whether an error response is temporary: nothing was done (429), the first request with the same key is still running
 * (409), or a gateway or the database failed (502 to 504) and the request may be repeated.
 */
export function isTemporary(
  operation: Pick<CatalogueOperation, 'method' | 'keyed'>,
  status: number,
  reason: string | undefined,
): boolean {
  if (status === 429) return true;
  if (status === 409) return reason === 'idempotency_in_progress';
  return isUncertain(status) && isRepeatable(operation);
}

/** Attempts and delays of one request. */
export class Retries {
  #tries = 1;
  #waitedMs = 0;
  readonly #limits: Limits;

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Delay before the next attempt, in ms; undefined when there is none. */
  next(headers?: Headers): number | undefined {
    const { maxTries, maxTotalWaitMs } = this.#limits;
    if (this.#tries >= maxTries) return undefined;
    const requested = headers && retryAfter(headers, Date.now());
    const backoff = 250 * 2 ** (this.#tries - 1) * (0.75 + Math.random() / 2);
    const wait = requested === undefined ? backoff : requested * 1000 + Math.random() * 100;
    if (this.#waitedMs + wait > maxTotalWaitMs) return undefined;
    this.#tries++;
    this.#waitedMs += wait;
    return wait;
  }
}
