import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One request: a path below `root`, and the API key that makes it. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  key: string;
  body?: string;
  /** Where the path begins; the REST root when it is left out. */
  root?: string;
  headers?: Record<string, string>;
  /** A text that only the body of a failure has. */
  fault?: string;
}

/** What the load process is to do: `load` runs for `seconds`, `probe` sends `times` requests one by one. */
export interface Order {
  kind: 'load' | 'probe';
  url: string;
  calls: Call[];
  connections: number;
  seconds: number;
  times: number;
  /** A probe reports its calls in this many groups, by their place modulo this. */
  groups: number;
}

/** Latencies in milliseconds; `errors` counts failed requests and answers other than 2xx. */
export interface LoadResult {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
}

/** The load generator in a process of its own, so that it shares no event loop with what it measures. */
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
    if (!result) throw new Error('The load generator reported nothing');
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
