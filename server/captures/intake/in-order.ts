/** Works that are done one after the other. A fault ends it: what was not begun by then never is. */
export interface InOrder {
  /** What waits or is being done, and its bytes. */
  readonly works: number;
  readonly bytes: number;
  add(bytes: number, work: () => Promise<void>): void;
  /** Resolves when nothing waits and nothing is being done. */
  idle(): Promise<void>;
  /** Forgets what has not begun. */
  abandon(): void;
}

export interface Watcher {
  /** After each work. */
  onDone(): void;
  /** The first work that failed. */
  onFault(error: unknown): void;
  /** So many bytes more wait, or fewer. */
  onBytes(change: number): void;
}

export function createInOrder({ onDone, onFault, onBytes }: Watcher): InOrder {
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
