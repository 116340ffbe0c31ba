import type { Dispatcher } from 'undici';
import { Exchange, type Limits } from './exchange.ts';

/** Sends a request; `fetch` for what libraries take. Follows no redirect, and knows no proxy, cookie or cache. */
export type Send = typeof globalThis.fetch;

/** Sends a request with the headers that it adds, and observes the outcome. */
export type TraceRequest = (
  method: string,
  send: (headers: Record<string, string>) => Promise<Response>,
) => Promise<Response>;

let traceRequest: TraceRequest | undefined;

/** Has the requests of all clients of this process traced, or none any more. */
export function traceRequests(trace: TraceRequest | undefined): void {
  traceRequest = trace;
}

/** What a client is made of. */
interface ClientParts {
  /** Loads the HTTP client at its first use: most processes send nothing. */
  agent: () => Promise<Dispatcher>;
  limits: Limits;
  /** Closes the connection after each response. */
  reset?: boolean;
  /** Throws when a request may not be sent. Returns what to do when it is over. */
  admit?: (url: URL) => (() => void) | undefined;
  /** Called with the signal of a request when something of its response arrives. */
  onBytes?: ((signal: AbortSignal | null) => void) | undefined;
}

/** A body as bytes, and the `Content-Type` of a form. */
async function bodyOf(body: RequestInit['body']): Promise<[bytes: Uint8Array | string | null, type: string | null]> {
  if (body === undefined || body === null || typeof body === 'string') return [body ?? null, null];
  if (body instanceof Uint8Array) return [body, null];
  if (!(body instanceof FormData)) throw new TypeError('A body is a text, bytes or a form.');
  const encoded = new Response(body);
  return [await encoded.bytes(), encoded.headers.get('content-type')];
}

/** What every request has unless the caller sets it. Compressed bodies would have no limit before they are decoded. */
const defaults = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'Tandem'],
] as const;

/** Headers as the HTTP client takes them: names and values in turn. */
function headersOf(given: RequestInit['headers'], type: string | null, more: Record<string, string>): string[] {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  for (const [name, value] of defaults) if (!headers.get(name)) headers.set(name, value);
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  return [...headers].flat();
}

/**
 * A client of one policy. Its requests reject with `OutboundError`, with the reason of their signal, or with what
 * `admit` throws; so do bodies. @throws TypeError for what it cannot send: a `Request`, or a stream as a body.
 */
export function createClient({ agent, limits, reset = false, admit, onBytes }: ClientParts): Send {
  const send = async (input: Parameters<Send>[0], init: RequestInit, more: Record<string, string>) => {
    if (input instanceof Request) throw new TypeError('A request is sent to an address, not as a Request.');
    const url = new URL(input);
    const { method = 'GET', signal = null } = init;
    signal?.throwIfAborted();
    const [body, type] = await bodyOf(init.body);
    const headers = headersOf(init.headers, type, more);
    const dispatcher = await agent();
    signal?.throwIfAborted();
    const onEnd = admit?.(url);
    const { promise, ...settle } = Promise.withResolvers<Response>();
    const exchange = new Exchange(
      { limits, method, signal, onEnd, onBytes: onBytes && (() => onBytes(signal)) },
      settle,
    );
    const { origin, pathname, search } = url;
    const request = { origin, path: pathname + search, method, headers, body, reset };
    try {
      // The time limits are those of the exchange.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 } as Dispatcher.DispatchOptions, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
    return promise;
  };
  return (input, init = {}) => {
    if (!traceRequest) return send(input, init, {});
    return traceRequest(init.method ?? 'GET', (more) => send(input, init, more));
  };
}
