import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One request: a path below `root`, sent with an API key. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  key: string;
  body?: string;
  /** Prefix of the path; the REST root if omitted. */
  root?: string;
  /** `newId` in a value becomes another one with each request. */
  headers?: Record<string, string>;
  /** A text that only the body of a failed response contains. */
  fault?: string;
}

/** What the load generator replaces by an id that no other request has. */
export const newId = '[<id>]';

/** An order to the load process: `load` runs for `seconds`, `probe` sends `times` requests one by one. */
export interface Order {
  kind: 'load' | 'probe';
  url: string;
  calls: Call[];
  connections: number;
  seconds: number;
  times: number;
  /** Number of groups in the result of a probe: index of the call modulo this. */
  groups: number;
}

/** Latencies in ms; `errors` counts failed requests and responses other than 2xx. */
export interface LoadResult {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
}

/** The load generator, in its own process so that it shares no event loop with the measured server. */
export class Loader {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./load.ts', import.meta.url)), {
      execArgv: [],
      serialization: 'advanced',
    });
  }

  async #order(order: Partial<Order>): Promise<LoadResult[]> {
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [{ results, error }] = (await answer) as [{ results?: LoadResult[]; error?: string }];
    if (!results) throw new Error(`The load generator failed: ${error}`);
    return results;
  }

  /** Keeps `connections` busy for `seconds`. */
  async load(url: string, calls: Call[], connections: number, seconds: number): Promise<LoadResult> {
    const [result] = await this.#order({ kind: 'load', url, calls, connections, seconds });
    if (!result) throw new Error('The load generator returned no result');
    return result;
  }

  /** Sends `times` requests one by one; a result for each group of calls. */
  probe(url: string, calls: Call[], times: number, groups: number): Promise<LoadResult[]> {
    return this.#order({ kind: 'probe', url, calls, times, groups });
  }

  close(): void {
    this.#child.kill();
  }
}
