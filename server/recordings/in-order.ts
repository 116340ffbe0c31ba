/** Work that is done one after the other. The first fault ends it: what was not begun by then is dropped. */
export interface InOrder {
  /** What is queued or being done, and its bytes. */
  readonly works: number;
  readonly bytes: number;
  add(bytes: number, work: () => Promise<void>): void;
  /** Resolves when nothing is queued and nothing is being done. */
  idle(): Promise<void>;
  /** Drops what has not begun. */
  abandon(): void;
}

export interface SequenceListener {
  /** Called after each piece of work. */
  onDone(): void;
  /** Called for the first that failed. */
  onFault(error: unknown): void;
  /** The queued bytes changed by so many. */
  onBytes(change: number): void;
}

/** An empty queue. Work begins when it is added and nothing else is being done. */
export function createInOrder({ onDone, onFault, onBytes }: SequenceListener): InOrder {
  const waiting: { bytes: number; work: () => Promise<void> }[] = [];
  let [works, bytes] = [0, 0];
  let running: Promise<void> | undefined;
  let isOver = false;

  const count = (work: number, size: number) => {
    works += work;
    bytes += size;
    onBytes(size);
  };
  const abandon = () => {
    isOver = true;
    for (const each of waiting.splice(0)) count(-1, -each.bytes);
  };
  const run = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await next.work();
      } catch (error) {
        abandon();
        onFault(error);
      }
      count(-1, -next.bytes);
      onDone();
    }
    running = undefined;
  };
  return {
    get works() {
      return works;
    },
    get bytes() {
      return bytes;
    },
    add: (size, work) => {
      if (isOver) return;
      waiting.push({ bytes: size, work });
      count(1, size);
      running ??= run();
    },
    idle: async () => {
      while (running) await running;
    },
    abandon,
  };
}
