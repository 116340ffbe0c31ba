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

/** Worker processes that share a queue of test files. */
export class Pool {
  #options: PoolOptions;
  #busy = new Set<Worker>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs the files, each on a database of its own. When `stop` is aborted, the workers are killed and no file begins.
   */
  async run(paths: readonly string[], stop: AbortSignal): Promise<void> {
    const queue = [...paths];
    const count = Math.min(this.#options.workers, queue.length);
    stop.addEventListener('abort', () => {
      for (const worker of this.#busy) void killWorker(worker);
    });
    await Promise.all(Array.from({ length: count }, (_, index) => this.#work(queue, index, stop)));
  }

  async #work(queue: string[], index: number, stop: AbortSignal): Promise<void> {
    const { databases, directory, limitSeconds, onEnd } = this.#options;
    const log = join(directory, `worker-${index}.log`);
    let worker: Worker | undefined;
    for (let path = queue.shift(); path && !stop.aborted; path = queue.shift()) {
      const databaseUrl = await databases.create();
      if (!stop.aborted) {
        worker ??= this.#start(log);
        const result = await runFile(worker, { path, databaseUrl, limitSeconds: limitSeconds(path) });
        if (result.faults.length > 0) worker = await this.#end(worker, killWorker);
        else if (result.isSpent) worker = await this.#end(worker, endWorker);
        onEnd(result);
      }
      await databases.release(databaseUrl);
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
