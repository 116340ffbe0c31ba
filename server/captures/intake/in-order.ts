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

/** `onDone` is told after each work, `onFault` of the first one that failed. */
export function createInOrder(onDone: () => void, onFault: (error: unknown) => void): InOrder {
  const waiting: { bytes: number; work: () => Promise<void> }[] = [];
  let [works, bytes] = [0, 0];
  let running: Promise<void> | undefined;
  let isOver = false;

  const abandon = () => {
    isOver = true;
    for (const each of waiting) bytes -= each.bytes;
    works -= waiting.length;
    waiting.length = 0;
  };
  const run = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await next.work();
      } catch (error) {
        abandon();
        onFault(error);
      }
      works -= 1;
      bytes -= next.bytes;
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
      works += 1;
      bytes += size;
      running ??= run();
    },
    idle: async () => {
      while (running) await running;
    },
    abandon,
  };
}
