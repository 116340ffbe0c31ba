/** There is no place for another work. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

export interface QueueLimits {
  maxRunning: number;
  /** Works that wait, of all keys. */
  maxWaiting: number;
  maxWaitingPerKey: number;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Runs at most `maxRunning` works at once. The others wait in one queue per key, and the keys take turns: however many
 * works one key has, the first work of another key waits for one round at most. If the queue has no place, work is
 * refused at once; but a key with fewer works takes the place of the newest work of the key that has the most.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  /** Never an empty queue; the first key is next. */
  readonly #queues = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** How many works run and wait. */
  get size(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** The outcome of `work`. @throws QueueFull before it began. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.maxRunning) this.#running++;
    else await this.#turn(key);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Waits until the work of a key may run. The place of the work that ended passes to it. */
  #turn(key: string): Promise<void> {
    const own = this.#queues.get(key) ?? [];
    if (own.length >= this.#limits.maxWaitingPerKey) throw new QueueFull();
    if (this.#waiting >= this.#limits.maxWaiting) this.#displace(own.length);
    return new Promise((resolve, reject) => {
      own.push({ start: resolve, refuse: () => reject(new QueueFull()) });
      this.#queues.set(key, own);
      this.#waiting++;
    });
  }

  /**
   * Refuses the newest work of the key with the most, where that has at least two more than `count`. @throws QueueFull
   */
  #displace(count: number): void {
    const longest = [...this.#queues.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
    if (longest.length < count + 2) throw new QueueFull();
    longest.pop()?.refuse();
    this.#waiting--;
  }

  #next(): void {
    const [first] = this.#queues;
    if (!first) {
      this.#running--;
      return;
    }
    const [key, queue] = first;
    const next = queue.shift();
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    this.#waiting--;
    next?.start();
  }
}
