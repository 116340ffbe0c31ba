import type { Plan } from './connection.ts';
import type { EngineName } from './engine/index.ts';
import type { Origin } from './origin.ts';
import type { Orm } from './orm.ts';

/** A statement with its values, as `Db.rows` takes them. */
export interface Statement {
  text: string;
  values: readonly unknown[];
}

/** The database as domain code sees it: the pool, or one transaction. */
export interface Db {
  /** Drizzle's query builder; every statement it makes goes to this connection. */
  readonly orm: Orm;
  /**
   * Runs one statement and returns its rows. A text that is executed repeatedly is prepared once per connection, so it
   * must come from a small set of shapes: values only as `$n`. `custom` asks for a plan made for these values (ignored
   * in a transaction).
   */
  rows<Row extends object>(text: string, values: readonly unknown[], plan?: Plan): Promise<Row[]>;
  /**
   * Like `rows`, for a statement that only reads, and few rows whatever its values are: it may share a connection with
   * others of the same text, and waits for them (`db/shared-reads.ts`).
   */
  lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs `work` in a transaction (a savepoint inside one); it commits when `work` resolves. When the database rolls the
   * transaction back because of another one (a deadlock), `work` runs again in a new one: what it does besides
   * statements must bear repeating. `first` is sent together with the BEGIN, and must do nothing unless
   * `isInTransaction` (`db/transaction.ts`); `work` gets its rows. A statement that `work` does not wait for is sent
   * together with the COMMIT, and the transaction rejects when it fails.
   */
  transaction<Result, Row extends object>(
    work: (tx: Db, rows: Promise<Row[]>) => Promise<Result>,
    first?: Statement,
  ): Promise<Result>;
  /**
   * Notifies all processes that listen to the channel: in a transaction once it has committed, else at once. It returns
   * at once, and a notification may be lost. `payload` has at most 7,999 bytes.
   */
  notify(channel: string, payload: string): void;
  readonly engine: EngineName;
  /** Who makes the changes; the same in every transaction of this `Db`. */
  readonly origin: Origin;
  /** The same pool or transaction, for the changes of another origin. */
  as(origin: Origin): Db;
}
