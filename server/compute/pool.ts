import { FairQueue, type QueueLimits } from '../../db/fair-queue.ts';
import type { Order } from './messages.ts';
import { ProcessCrashed, type TaskLimits, TaskProcess } from './task-process.ts';
import type { Arguments, Outcome, TaskName } from './tasks.ts';

/** A process with a larger heap ends after its task. One that has just started has about 10. */
const maxIdleMegabytes = 128;

export interface PoolLimits extends TaskLimits, QueueLimits {
  /** A process without work ends after so many seconds, which frees its memory. */
  idleSeconds: number;
}

/** Rejects as soon as the signal is aborted; the work itself continues. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Processes for pure work that would block the event loop. They start when they are needed. Work waits in a fair queue,
 * in which its keys take turns. They are processes and not threads because V8 can abort a process whose threads come
 * and go (docs/decisions/0052), and because the memory of a process that ends is freed completely.
 */
export class TaskPool {
  readonly #limits: PoolLimits;
  readonly #queue: FairQueue;
  readonly #processes = new Set<TaskProcess>();
  readonly #idle = new Map<TaskProcess, NodeJS.Timeout>();
  #closed = false;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
    this.#queue = new FairQueue(limits);
  }

  /** Processes that exist, and works that wait for one. */
  get size(): { processes: number; waiting: number } {
    return { processes: this.#processes.size, waiting: this.#queue.size.waiting };
  }

  /**
   * The result of a task for `key`; `onStart` is called when the task leaves the queue.
   * @throws Failure of the task; QueueFull before it began; TaskLimit; ProcessCrashed, the second time; the signal's
   * reason when it is aborted.
   */
  async run<Name extends TaskName>(
    key: string,
    name: Name,
    args: Arguments<Name>,
    signal?: AbortSignal,
    onStart?: () => void,
  ): Promise<Outcome<Name>> {
    signal?.throwIfAborted();
    const work = this.#queue.run(key, async () => {
      signal?.throwIfAborted();
      onStart?.();
      const order = { name, args };
      const outcome = this.#attempt(order).catch((fault) => {
        if (!(fault instanceof ProcessCrashed)) throw fault;
        // The work is pure, and the fault may have been of the process only.
        return this.#attempt(order);
      });
      return (await outcome) as Outcome<Name>;
    });
    return signal ? unlessAborted(work, signal) : work;
  }

  async #attempt(order: Order): Promise<unknown> {
    if (this.#closed) throw new Error('The processes are closed');
    const taskProcess = this.#take();
    try {
      return await taskProcess.run(order);
    } finally {
      this.#release(taskProcess);
    }
  }

  /** Ends all processes; the work in progress fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#processes].map((each) => each.end()));
  }

  /** The process that was used last, so that those that are not needed end; else a new one. */
  #take(): TaskProcess {
    const last = [...this.#idle.keys()].at(-1);
    if (!last) return this.#start();
    clearTimeout(this.#idle.get(last));
    this.#idle.delete(last);
    return last;
  }

  #start(): TaskProcess {
    const taskProcess = new TaskProcess(this.#limits, () => {
      clearTimeout(this.#idle.get(taskProcess));
      this.#idle.delete(taskProcess);
      this.#processes.delete(taskProcess);
    });
    this.#processes.add(taskProcess);
    return taskProcess;
  }

  #release(taskProcess: TaskProcess): void {
    if (!this.#processes.has(taskProcess)) return;
    // V8 keeps what a large task needed: a new process costs less than that memory.
    if (taskProcess.heapMegabytes > maxIdleMegabytes) return void taskProcess.end();
    const retire = () => {
      // Its end takes a while, in which it must not be given work.
      this.#idle.delete(taskProcess);
      void taskProcess.end();
    };
    const timer = setTimeout(retire, this.#limits.idleSeconds * 1000);
    timer.unref();
    this.#idle.set(taskProcess, timer);
  }
}
