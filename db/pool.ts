import { Connection, type ConnectionOptions } from './connection.ts';
import { isReadOnly } from './errors.ts';

const refusals = {
  POOL_FULL: 'Too many wait for a connection to the database',
  POOL_TIMEOUT: 'No connection to the database became free in time',
  CONNECTION_ENDED: 'The connections to the database are closed',
};

/** A work was refused before it began: no connection was free in time, too many wait already, or the pool is closed. */
export class PoolError extends Error {
  override readonly name = 'PoolError';
  readonly code: keyof typeof refusals;

  constructor(code: keyof typeof refusals) {
    super(refusals[code]);
    this.code = code;
  }
}

/** What a work has in common with others, such as a table, and how many of those may run at once. */
export interface Share {
  name: string;
  max: number;
}

export type Shares = readonly Share[];

interface Waiting {
  start(connection: Connection): void;
  fail(error: Error): void;
  isOver: boolean;
}

/** Works that wait with equal shares, the oldest first. */
interface Line {
  shares: Shares;
  works: Waiting[];
}

export interface PoolOptions extends ConnectionOptions {
  maxConnections: number;
  /** Called with what a work threw. */
  onError(error: unknown): void;
}

/** Works that may wait for a connection: what comes then is refused at once. */
const maxWaiting = 2000;

/** Ticks after which a connection that nobody used is closed. */
const maxIdleTicks = 120;

/**
 * The connections of one kind of work. A work has a connection for itself: the driver would send one statement behind
 * another that waits for a lock. Work that finds no free connection waits; the time and the number of waiting entries
 * are limited. However long the statements of one workspace, or those on one table, take: they have a share of the
 * connections, and the others have the rest.
 */
export class Pool {
  readonly #options: PoolOptions;
  /** Used last in, first out: few connections have the statements of few works prepared. */
  readonly #idle: { connection: Connection; ticks: number }[] = [];
  readonly #busy = new Set<Connection>();
  readonly #running = new Map<string, number>();
  /** By their shares, never an empty one; the first line is next. */
  readonly #lines = new Map<string, Line>();
  #waiting = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Works that wait for a connection. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Connections at work. */
  get busy(): number {
    return this.#busy.size;
  }

  /** Runs `work` on a connection of its own. @throws PoolError before it began. */
  async use<Result>(shares: Shares, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new PoolError('CONNECTION_ENDED');
    const connection = this.#mayStart(shares) ? this.#take(shares) : await this.#queue(shares);
    try {
      if (connection.ready) await connection.ready;
      return await work(connection);
    } catch (error) {
      // Its server is no primary any more, or never was: the next connection may lead to another.
      if (isReadOnly(error)) connection.discard();
      this.#options.onError(error);
      throw error;
    } finally {
      this.#release(connection, shares);
    }
  }

  #mayStart(shares: Shares): boolean {
    if (this.#busy.size >= this.#options.maxConnections) return false;
    for (const { name, max } of shares) {
      if ((this.#running.get(name) ?? 0) >= max) return false;
    }
    return true;
  }

  #take(shares: Shares): Connection {
    for (const { name } of shares) this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    let connection = this.#idle.pop()?.connection;
    while (connection && !connection.isUsable) {
      this.#discard(connection);
      connection = this.#idle.pop()?.connection;
    }
    connection ??= new Connection(this.#options, () => this.#forgetLost());
    this.#busy.add(connection);
    return connection;
  }

  #release(connection: Connection, shares: Shares): void {
    this.#busy.delete(connection);
    connection.rest();
    for (const { name } of shares) {
      const count = (this.#running.get(name) ?? 1) - 1;
      if (count === 0) this.#running.delete(name);
      else this.#running.set(name, count);
    }
    if (connection.isUsable && !this.#isClosed) this.#idle.push({ connection, ticks: 0 });
    else this.#discard(connection);
    if (this.#lines.size > 0) this.#startNext();
  }

  #discard(connection: Connection): void {
    connection.close(1).catch(() => {});
  }

  #forgetLost(): void {
    for (let place = this.#idle.length - 1; place >= 0; place--) {
      if (!this.#idle[place]?.connection.isUsable) this.#idle.splice(place, 1);
    }
  }

  #queue(shares: Shares): Promise<Connection> {
    const { limits } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.#waiting >= maxWaiting) {
        reject(new PoolError('POOL_FULL'));
        return;
      }
      const end = () => {
        clearTimeout(timer);
        waiting.isOver = true;
        this.#waiting--;
      };
      const waiting: Waiting = {
        isOver: false,
        start: (connection) => {
          end();
          resolve(connection);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiting.fail(new PoolError('POOL_TIMEOUT')), limits.maxQueueMs);
      const name = shares.map((share) => share.name).join(' ');
      const line = this.#lines.get(name);
      if (line) line.works.push(waiting);
      else this.#lines.set(name, { shares, works: [waiting] });
      this.#waiting++;
    });
  }

  /** Starts what waits, as far as there are connections. The lines take turns. */
  #startNext(): void {
    for (const [name, line] of this.#lines) {
      if (this.#busy.size >= this.#options.maxConnections) return;
      while (line.works[0]?.isOver) line.works.shift();
      if (line.works.length > 0 && !this.#mayStart(line.shares)) continue;
      const next = line.works.shift();
      this.#lines.delete(name);
      if (line.works.length > 0) this.#lines.set(name, line);
      next?.start(this.#take(line.shares));
    }
  }

  /** Called every `tickMs`: cuts silent connections and closes those that nobody uses. */
  tick(): void {
    for (const connection of this.#busy) connection.tick();
    for (const each of this.#idle) each.ticks++;
    while (this.#idle[0] && this.#idle[0].ticks >= maxIdleTicks) {
      this.#discard(this.#idle[0].connection);
      this.#idle.shift();
    }
  }

  /** Refuses what waits, waits up to `seconds` for what runs, and closes every connection. */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true;
    for (const { works } of this.#lines.values()) {
      for (const waiting of works) if (!waiting.isOver) waiting.fail(new PoolError('CONNECTION_ENDED'));
    }
    this.#lines.clear();
    const open = [...this.#idle.splice(0).map(({ connection }) => connection), ...this.#busy];
    await Promise.all(open.map((connection) => connection.close(seconds)));
  }
}
