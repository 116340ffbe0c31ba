import { Worker } from 'node:worker_threads';
import { Failure } from '../../domain/errors.ts';
import type { Order, Report } from './messages.ts';

/** A task that took too long, or too much memory: its thread was ended. The same task would be ended again. */
export class ThreadLimit extends Error {
  override readonly name = 'ThreadLimit';
  readonly limit: 'time' | 'memory';
  constructor(limit: 'time' | 'memory') {
    super(limit === 'time' ? 'The work takes too long' : 'The work needs too much memory');
    this.limit = limit;
  }
}

export interface ThreadLimits {
  /** Seconds of processor time that one task may take, whatever else the machine does. */
  maxSeconds: number;
  /** Of the heap of a thread (V8's old generation). */
  maxMegabytes: number;
}

/** A task is looked at so often within its time. */
const looks = 20;
/** A thread that cannot be asked for its time, in a call that V8 cannot interrupt, ends after so many times its time. */
const maxLooks = 10 * looks;

/** Of the part of a heap for new objects: V8's own limit is three times as much, and is filled before it collects. */
const maxYoungMegabytes = 8;

const entry = new URL('./thread.ts', import.meta.url);

/** A worker thread that does one task at a time. */
export class Thread {
  readonly #limits: ThreadLimits;
  readonly #worker: Worker;
  #task: PromiseWithResolvers<unknown> | undefined;
  #fault: Error | undefined;
  /** Processor time of the thread until its task began. */
  #spentMs = 0;
  #heapMegabytes = 0;

  /** Starts the thread. `onEnd` is called once, when it does no more work. */
  constructor(limits: ThreadLimits, onEnd: () => void) {
    this.#limits = limits;
    const { maxMegabytes } = limits;
    this.#worker = new Worker(entry, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: maxYoungMegabytes },
    });
    this.#worker.on('message', (report: Report) => this.#settle(report));
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.#fault ??= error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLimit('memory') : error;
    });
    this.#worker.once('exit', () => {
      onEnd();
      this.#task?.reject(this.#fault ?? new Error('The thread was ended'));
    });
    this.#worker.unref();
  }

  /** @throws Failure of the task; ThreadLimit. */
  async run(order: Order): Promise<unknown> {
    const task = Promise.withResolvers<unknown>();
    this.#task = task;
    this.#worker.ref();
    const maxMs = this.#limits.maxSeconds * 1000;
    let left = maxLooks;
    const look = async () => {
      left -= 1;
      if (left === 0 || (await this.#takenMs()) >= maxMs) await this.end(new ThreadLimit('time'));
    };
    const clock = setInterval(look, maxMs / looks);
    clock.unref();
    try {
      this.#worker.postMessage(order);
      return await task.promise;
    } finally {
      clearInterval(clock);
      this.#task = undefined;
      this.#worker.unref();
    }
  }

  /** MiB that the heap of the thread had after its last task. */
  get heapMegabytes(): number {
    return this.#heapMegabytes;
  }

  /** Ends the thread; its task fails with `fault`. */
  async end(fault?: Error): Promise<void> {
    this.#fault ??= fault;
    await this.#worker.terminate();
  }

  /** Milliseconds of processor time that the task took so far. */
  async #takenMs(): Promise<number> {
    // A thread that has just been started or ended has none.
    const { user, system } = await this.#worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    return (user + system) / 1000 - this.#spentMs;
  }

  #settle(report: Report): void {
    this.#spentMs = report.cpuMs;
    this.#heapMegabytes = report.heapMegabytes;
    if (report.type === 'done') this.#task?.resolve(report.value);
    else this.#task?.reject(report.type === 'refused' ? new Failure(report.problem) : report.error);
  }
}
