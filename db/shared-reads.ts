import type { Connection } from './connection.ts';

/**
 * Reads on one connection: enough that most writes to the socket are saved, and few enough to use several connections.
 */
const maxTogether = 8;

type Work = (connection: Connection) => Promise<void>;

/** Reads of one text that share a connection. */
interface Group {
  connection: PromiseWithResolvers<Connection>;
  /** Rejects when the connection is lost. */
  loss: PromiseWithResolvers<never>;
  /** Resolves once all are over, and rejects then when one of them failed. */
  end: PromiseWithResolvers<void>;
  size: number;
  running: number;
  fault?: { error: unknown };
}

/**
 * Reads with the same text that begin in the same turn of the event loop share a connection. The driver then sends them
 * in one write, which saves a third of what a short read costs this process. One read waits for the others: they must
 * be short whatever their values are, and must not wait for the locks of rows.
 */
export class SharedReads {
  /** The group of each text that others may still join. */
  readonly #open = new Map<string, Group>();

  /** The outcome of `read`. `use` runs a work on a connection of its own. @throws what `use` or `read` throws. */
  async run<Result>(
    text: string,
    use: (work: Work) => Promise<void>,
    read: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const group = this.#open.get(text) ?? this.#begin(text, use);
    group.size++;
    group.running++;
    if (group.size === maxTogether) this.#close(text, group);
    const connection = await group.connection.promise;
    try {
      return await Promise.race([read(connection), group.loss.promise]);
    } catch (error) {
      group.fault ??= { error };
      throw error;
    } finally {
      if (--group.running === 0) {
        connection.whenLost(undefined);
        this.#end(text, group);
      }
    }
  }

  #begin(text: string, use: (work: Work) => Promise<void>): Group {
    const group: Group = {
      connection: Promise.withResolvers(),
      loss: Promise.withResolvers(),
      end: Promise.withResolvers(),
      size: 0,
      running: 0,
    };
    this.#open.set(text, group);
    group.loss.promise.catch(() => {});
    const work: Work = (connection) => {
      connection.whenLost(group.loss.reject);
      group.connection.resolve(connection);
      // After everything that can be done now: the driver writes in the next turn of the event loop.
      process.nextTick(() => this.#close(text, group));
      return group.end.promise;
    };
    use(work).catch((error: unknown) => {
      this.#close(text, group);
      // Those that had the connection know by themselves.
      group.connection.reject(error);
    });
    return group;
  }

  #end(text: string, group: Group): void {
    this.#close(text, group);
    if (group.fault) group.end.reject(group.fault.error);
    else group.end.resolve();
  }

  #close(text: string, group: Group): void {
    if (this.#open.get(text) === group) this.#open.delete(text);
  }
}
