declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  /** One request of a sequence that a connection sends over and over. */
  interface Request {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
    onResponse?: (status: number, body: string) => void;
  }

  interface Client {
    setRequests(requests: Request[]): void;
  }

  interface Result {
    errors: number;
    timeouts: number;
    non2xx: number;
  }

  interface Instance extends EventEmitter, PromiseLike<Result> {}

  interface Options {
    url: string;
    connections: number;
    duration: number;
    sampleInt?: number;
    /** Puts a new id in place of `[<id>]` in each request that is sent. */
    idReplacement?: boolean;
    setupClient?: (client: Client) => void;
  }

  export default function autocannon(options: Options): Instance;
}
