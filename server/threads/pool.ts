import { FairQueue, type QueueLimits } from '../../db/fair-queue.ts';
import type { Arguments, Outcome, TaskName } from './tasks.ts';
import { Thread, type ThreadLimits } from './worker.ts';

/** A thread with a larger heap ends after its task. One that has just started has about 20. */
const maxIdleMegabytes = 64;

export interface PoolLimits extends ThreadLimits, QueueLimits {
  /** A thread without work ends after so many seconds, which frees its memory. */
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
 * Worker threads for pure work that would hold the event loop. Threads start when they are needed. Work waits in a fair
 * queue: its keys take turns.
 */
export class ThreadPool {
  readonly #limits: PoolLimits;
  readonly #queue: FairQueue;
  readonly #threads = new Set<Thread>();
  readonly #idle = new Map<Thread, NodeJS.Timeout>();
  #closed = false;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
    this.#queue = new FairQueue(limits);
  }

  /** Threads that exist, and works that wait for one. */
  get size(): { threads: number; waiting: number } {
    return { threads: this.#threads.size, waiting: this.#queue.size.waiting };
  }

  /**
   * The outcome of a task for `key`.
   * @throws Failure of the task; QueueFull before it began; ThreadLimit; the signal's reason when it is aborted.
   */
  async run<Name extends TaskName>(
    key: string,
    name: Name,
    args: Arguments<Name>,
    signal?: AbortSignal,
  ): Promise<Outcome<Name>> {
    signal?.throwIfAborted();
    const work = this.#queue.run(key, async () => {
      signal?.throwIfAborted();
      if (this.#closed) throw new Error('The threads are closed');
      const thread = this.#take();
      try {
        return (await thread.run({ name, args })) as Outcome<Name>;
      } finally {
        this.#release(thread);
      }
    });
    return signal ? unlessAborted(work, signal) : work;
  }

  /** Ends all threads; the work in progress fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** The thread that was used last, so that those that are not needed end; else a new one. */
  #take(): Thread {
    const last = [...this.#idle.keys()].at(-1);
    if (!last) return this.#start();
    clearTimeout(this.#idle.get(last));
    this.#idle.delete(last);
    return last;
  }

  #start(): Thread {
    const thread = new Thread(this.#limits, () => {
      clearTimeout(this.#idle.get(thread));
      this.#idle.delete(thread);
      this.#threads.delete(thread);
    });
    this.#threads.add(thread);
    return thread;
  }

  #release(thread: Thread): void {
    if (!this.#threads.has(thread)) return;
    // V8 keeps what a large task needed: a new thread costs less than that memory.
    if (thread.heapMegabytes > maxIdleMegabytes) return void thread.end();
    const retire = () => {
      // Its end takes a while, in which it must not be given work.
      this.#idle.delete(thread);
      void thread.end();
    };
    const timer = setTimeout(retire, this.#limits.idleSeconds * 1000);
    timer.unref();
    this.#idle.set(thread, timer);
  }
}
