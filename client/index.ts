import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink, splitLink } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { keyHeader, keyOf } from './keys.ts';
import operations from './operations.json' with { type: 'json' };
import { persist } from './persist.ts';
import type { TandemClient } from './types.ts';

export { isTandemError, type Problem, TandemError } from './errors.ts';
export { followChat } from './follow-chat.ts';
export { keyed } from './keys.ts';
export type { ChatEvent, TandemClient, TandemInputs, TandemOutputs } from './types.ts';

type Given<Value> = Value | (() => Value | Promise<Value>);

export interface TandemClientOptions {
  /** Address of the service, such as `https://tandem.example.com`; empty for a page that the service itself serves. */
  url: string | URL;
  /** API key or session token; a function is asked before each request. Left out where the session is a cookie. */
  token?: Given<string | undefined>;
  /** Sends the requests instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** More headers of each request. */
  headers?: Given<Record<string, string>>;
  /** Calls of the same tick travel in one request, which counts once against the rate limit. Default true. */
  batch?: boolean;
  /** How often a call is repeated where that does no harm. Default 2; with 0 no key is made up either. */
  retries?: number;
}

/** What the service takes in one request, and an address short enough for every server on the way. */
const batchLimits = { maxItems: 10, maxURLLength: 8000 };

function given<Value>(value: Given<Value>): Value | Promise<Value> {
  return typeof value === 'function' ? (value as () => Value | Promise<Value>)() : value;
}

/** Whether the service may hold the answer back for a while. */
function isHeld(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'waitSeconds' in input && Boolean(input.waitSeconds);
}

/**
 * A typed client of a Tandem service, for Node ≥ 22 and browsers; of the service itself it takes types alone. Errors of
 * the service are `TandemError`. Calls go together in batches, except those that carry an idempotency key (a header of
 * their own), wait for an agent, or stream.
 */
export function createTandemClient(options: TandemClientOptions): TandemClient {
  const { url, token, fetch: send = globalThis.fetch, headers = {}, batch = true, retries = 2 } = options;
  const wire = {
    url: `${String(url).replace(/\/+$/, '')}/trpc`,
    fetch: (address: string | URL | Request, init?: object) => send(address, init),
  };
  const headersOf = async () => {
    const bearer = await given(token);
    return { ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }), ...(await given(headers)) };
  };
  const alone = httpLink<AppRouter>({
    ...wire,
    headers: async ({ op }) => ({ ...(await headersOf()), ...keyHeader(op) }),
  });
  return createTRPCClient<AppRouter>({
    links: [
      persist(retries),
      splitLink({
        condition: ({ path }) => operations.streams.includes(path),
        true: httpBatchStreamLink({ ...wire, headers: headersOf, maxItems: 1 }),
        false: splitLink({
          condition: (op) => batch && keyOf(op) === undefined && !isHeld(op.input),
          true: httpBatchLink({ ...wire, headers: headersOf, ...batchLimits }),
          false: alone,
        }),
      }),
    ],
  });
}
