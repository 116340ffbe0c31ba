import type { CatalogueOperation } from '../catalogue.ts';

/** How often one request is tried. */
const mostTries = 5;
/** How long all waits of one request may take together, in ms. */
const mostWaitMs = 120_000;

/** Nothing was sent: the service has not seen the request. */
const neverSent = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const lost = new Set([...neverSent, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT']);

/** The code of what broke a connection, wherever `fetch` put it. */
export function causeOf(error: unknown): { code: string; message: string } {
  let inner = error as { code?: string; message?: string; cause?: unknown; errors?: unknown[] };
  for (let depth = 0; depth < 4; depth++) {
    const next = (inner.cause ?? inner.errors?.[0]) as typeof inner | undefined;
    if (!next) break;
    inner = next;
  }
  return { code: inner.code ?? '', message: inner.message ?? String(error) };
}

/** Whether doing it twice is as good as doing it once: reads, and writes that carry an idempotency key. */
export function isRepeatable({ method, keyed }: Pick<CatalogueOperation, 'method' | 'keyed'>): boolean {
  return method === 'GET' || keyed;
}

/** Whether a request that broke on the way may be sent again. */
export function mayRepeat(operation: Pick<CatalogueOperation, 'method' | 'keyed'>, error: unknown): boolean {
  const { code } = causeOf(error);
  return neverSent.has(code) || (isRepeatable(operation) && lost.has(code));
}

/** Seconds of a `Retry-After`, which may be a date. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/**
 * Whether an answer means “not now”: the service did nothing (429, 503), the first request of the same key is at work
 * (409), or something between broke (502, 504) what can be repeated.
 */
export function isNotNow(
  operation: Pick<CatalogueOperation, 'method' | 'keyed'>,
  status: number,
  reason: string | undefined,
): boolean {
  if (status === 429 || status === 503) return true;
  if (status === 409) return reason === 'idempotency_in_progress';
  return (status === 502 || status === 504) && isRepeatable(operation);
}

/** The waits of one request. */
export class Patience {
  #tries = 1;
  #waitedMs = 0;
  readonly #isAllowed: boolean;

  constructor(isAllowed: boolean) {
    this.#isAllowed = isAllowed;
  }

  /** How long to wait before the next try, in ms; undefined when there is none. */
  next(headers?: Headers): number | undefined {
    if (!this.#isAllowed || this.#tries >= mostTries) return undefined;
    const asked = headers && retryAfter(headers, Date.now());
    const growing = 250 * 2 ** (this.#tries - 1) * (0.75 + Math.random() / 2);
    const wait = asked === undefined ? growing : asked * 1000 + Math.random() * 100;
    if (this.#waitedMs + wait > mostWaitMs) return undefined;
    this.#tries++;
    this.#waitedMs += wait;
    return wait;
  }
}
