import type { TandemClient } from 'tandem/client';
import { fetchJson } from './problem.ts';

/*
 * The typed API for the pages before the sign-in: one request per call, without batches, streams and keys. It is a
 * tenth of the size of the client in client.ts, which is loaded with the work.
 */

type Direct = Pick<TandemClient, 'auth' | 'meta'>;

async function call(path: string, isQuery: boolean, input: unknown): Promise<unknown> {
  const text = JSON.stringify(input);
  const { result } = await fetchJson<{ result: { data: unknown } }>(
    isQuery ? `/trpc/${path}?input=${encodeURIComponent(text)}` : `/trpc/${path}`,
    isQuery ? {} : { method: 'POST', body: text },
  );
  return result.data;
}

/** `direct.auth.signIn.mutate(input)` calls the procedure `auth.signIn`. */
function callerOf(path: readonly string[]): unknown {
  return new Proxy(() => {}, {
    get: (_, name) => callerOf([...path, String(name)]),
    apply: (_, __, [input]: unknown[]) => call(path.slice(0, -1).join('.'), path.at(-1) === 'query', input),
  });
}

/** The procedures that need no session, and the identity. @throws ProblemError with the service's error object. */
export const direct = callerOf([]) as Direct;
