import { join } from 'node:path';
import type { TestDatabases } from './databases.ts';
import { endWorker, type FileResult, killWorker, runFile, startWorker, type Worker } from './run-file.ts';

export interface PoolOptions {
  workers: number;
  databases: TestDatabases;
  /** Where the workers' logs go. */
  directory: string;
  /** The time limit of each test of a file, in seconds. */
  limitSeconds(path: string): number;
  onEnd(result: FileResult): void;
}

/** A worker is replaced after so many files: what their modules hold is never freed (about 10 MiB a file). */
const filesPerWorker = 30;

/** Worker processes that share a queue of test files. */
export class Pool {
  #options: PoolOptions;
  #busy = new Set<Worker>();
  #stopped = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs the files, each on a database of its own. */
  async run(paths: readonly string[]): Promise<void> {
    const queue = [...paths];
    const count = Math.min(this.#options.workers, queue.length);
    await Promise.all(Array.from({ length: count }, (_, index) => this.#work(queue, index)));
  }

  /** Kills the workers; `run` then ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#busy].map(killWorker));
  }

  async #work(queue: string[], index: number): Promise<void> {
    const { databases, directory, limitSeconds, onEnd } = this.#options;
    const log = join(directory, `worker-${index}.log`);
    let worker: Worker | undefined;
    let files = 0;
    for (let path = queue.shift(); path && !this.#stopped; path = queue.shift()) {
      const databaseUrl = await databases.create();
      worker ??= this.#start(log);
      const result = await runFile(worker, { path, databaseUrl, limitSeconds: limitSeconds(path) });
      if (result.faults.length > 0) worker = await this.#end(worker, killWorker);
      else if (++files % filesPerWorker === 0 || result.isSpent) worker = await this.#end(worker, endWorker);
      onEnd(result);
      await databases.drop(databaseUrl);
    }
    if (worker) await this.#end(worker, endWorker);
  }

  #start(log: string): Worker {
    const worker = startWorker(log);
    this.#busy.add(worker);
    return worker;
  }

  async #end(worker: Worker, end: (worker: Worker) => Promise<void>): Promise<undefined> {
    await end(worker);
    this.#busy.delete(worker);
  }
}
