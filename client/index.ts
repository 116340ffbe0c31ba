import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink, splitLink } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { type Answer, answers } from './answers.ts';
import { ofService } from './errors.ts';
import { keyHeader, keyOf } from './keys.ts';
import operations from './operations.json' with { type: 'json' };
import { persist } from './persist.ts';
import type { TandemClient } from './types.ts';

export type { Answer } from './answers.ts';
export { isTandemError, type Problem, TandemError } from './errors.ts';
export { followChat } from './follow-chat.ts';
export { type FollowEventsOptions, followEvents } from './follow-events.ts';
export { keyed } from './keys.ts';
export type { ChatEvent, StreamedEvent, TandemClient, TandemEvent, TandemInputs, TandemOutputs } from './types.ts';

type Given<Value> = Value | (() => Value | Promise<Value>);

export interface TandemClientOptions {
  /** Address of the service, such as `https://tandem.example.com`; empty for a page that the service itself serves. */
  url: string | URL;
  /** API key or session token, or a function called before each request. Omit it where the session is a cookie. */
  token?: Given<string | undefined>;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Additional headers of each request. */
  headers?: Given<Record<string, string>>;
  /** Sends calls of the same tick in one request, which counts once against the rate limit. Default true. */
  batch?: boolean;
  /** Maximum repetitions of a call where they are harmless. Default 2; with 0 no key is generated either. */
  retries?: number;
  /** Called with the position of each read in the log of the workspace, and with the event of each write. */
  onAnswer?: (answer: Answer) => void;
}

/** The batch limit of the service, and a URL length that proxies accept. */
const batchLimits = { maxItems: 10, maxURLLength: 8000 };

function given<Value>(value: Given<Value>): Value | Promise<Value> {
  return typeof value === 'function' ? (value as () => Value | Promise<Value>)() : value;
}

/** Whether the service may hold the response (`waitSeconds`). */
function isHeld(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'waitSeconds' in input && Boolean(input.waitSeconds);
}

/**
 * A typed client of a Tandem service, for Node ≥ 22 and browsers; it imports only types of the service. Errors of the
 * service are `TandemError`. Calls are batched, except those with an idempotency key (their own header), with
 * `waitSeconds`, and streams.
 */
export function createTandemClient(options: TandemClientOptions): TandemClient {
  const { url, token, fetch: send = globalThis.fetch, headers = {}, batch = true, retries = 2, onAnswer } = options;
  const wire = {
    url: `${String(url).replace(/\/+$/, '')}/trpc`,
    fetch: async (address: string | URL | Request, init?: object) => ofService(await send(address, init), address),
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
      ...(onAnswer ? [answers(onAnswer)] : []),
      persist(retries),
      splitLink({
        condition: ({ path }) => operations.streams.includes(path),
        true: httpBatchStreamLink({ ...wire, headers: headersOf, maxItems: 1 }),
        false: splitLink({
          condition: (op) => batch && keyOf(op) === undefined && !op.context.isAlone && !isHeld(op.input),
          true: httpBatchLink({ ...wire, headers: headersOf, ...batchLimits }),
          false: alone,
        }),
      }),
    ],
  });
}
