import { createTandemClient, type TandemClient, type TandemClientOptions } from 'tandem/client';
import type { TestService } from './harness.ts';

type Fetch = typeof globalThis.fetch;

/** A request as it left a client. */
export interface Sent {
  method: string;
  /** Path of each call in it. */
  calls: string[];
  headers: Headers;
}

export interface Watched {
  client: TandemClient;
  /** What left so far, in order. */
  sent: Sent[];
}

/** A client of the service with a key, whose requests are watched and may be meddled with. */
export function watchedClient(
  { url }: Pick<TestService, 'url'>,
  key: string,
  options: Partial<TandemClientOptions> = {},
  meddle: (send: () => Promise<Response>, request: Sent, number: number) => Promise<Response> = (send) => send(),
): Watched {
  const sent: Sent[] = [];
  const fetch: Fetch = (address, init) => {
    const { pathname } = new URL(String(address));
    const request = {
      method: init?.method ?? 'GET',
      calls: pathname.replace('/trpc/', '').split(','),
      headers: new Headers(init?.headers),
    };
    sent.push(request);
    return meddle(() => globalThis.fetch(address, init), request, sent.length);
  };
  return { client: createTandemClient({ url, token: key, fetch, ...options }), sent };
}

/** What a call was refused with. @throws Error when it was not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<Error> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error) return error;
  throw new Error('The call was not refused');
}
