/** Items that are sent in batches. */
export interface Batches<Item> {
  add(item: Item): void;
  /** Resolves when all that was added has been sent. */
  idle(): Promise<void>;
}

/**
 * Sends items in batches, one at a time: those added while a batch is sent make the next one. `send` must not reject.
 */
export function grouped<Item>(send: (items: Item[]) => Promise<void>): Batches<Item> {
  let waiting: Item[] = [];
  let flushing: Promise<void> | undefined;
  const flush = async () => {
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      await send(items);
    }
    flushing = undefined;
  };
  return {
    add: (item) => {
      waiting.push(item);
      flushing ??= flush();
    },
    idle: async () => flushing,
  };
}

/**
 * What `work` resolves to. @throws Error when it takes longer than `ms`; what it resolves to later is given to
 * `onLate`.
 */
export async function inTime<Result>(
  ms: number,
  work: Promise<Result>,
  onLate: (result: Result) => void = () => {},
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error('The database did not answer in time'));
    work.then(onLate, () => {});
  }, ms);
  timer.unref();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
