import type postgres from 'postgres';
import type { Connection } from './connection.ts';
import { errorCode, isConnectionLoss, isOfServer } from './errors.ts';

/** The rows of a statement. `values()`, called before they arrive, makes them arrays instead of objects. */
type Answer = Promise<unknown[]> & { values(): Promise<unknown[]> };

/** The statements of a transaction, or of a savepoint in one. */
export interface Scope {
  unsafe(text: string, values?: unknown[], options?: postgres.UnsafeQueryOptions): Answer;
  /** Runs `work` in a savepoint, which is rolled back when `work` rejects. */
  savepoint<Result>(work: (inner: Scope) => Promise<Result>): Promise<Result>;
}

/**
 * A condition in SQL that is true only in a transaction of ours. A statement that is sent together with BEGIN must
 * check it: if the BEGIN fails, the statement runs, and commits, on its own. (DEFERRABLE changes nothing in a
 * transaction that is not both serializable and read-only.)
 */
export const isInTransaction = `current_setting('transaction_deferrable') = 'on'`;
const begin = 'begin deferrable';

/** One transaction on a connection that nothing else uses meanwhile. */
class Transaction {
  readonly connection: Connection;
  /** Set once no statement may be sent any more. */
  over: Error | undefined;
  #savepoints = 0;
  readonly #loss = Promise.withResolvers<never>();

  constructor(connection: Connection) {
    this.connection = connection;
    this.#loss.promise.catch(() => {});
    connection.whenLost((error) => this.lose(error));
  }

  /** The connection is gone: everything that waits rejects. */
  lose(error: Error): void {
    this.over ??= error;
    this.#loss.reject(error);
  }

  /** Settles as `work` does, or rejects once the connection is lost. */
  orLost<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#loss.promise]);
  }

  /** Sends a statement behind those before it, without waiting for their answers. */
  send(text: string, values: unknown[] = [], options: postgres.UnsafeQueryOptions = {}) {
    const { connection } = this;
    const answered = connection.sent(text);
    const query = connection.sql.unsafe(text, values as never[], options);
    const answer = this.orLost<postgres.RowList<postgres.Row[]>>(query).then(
      (rows) => {
        answered();
        return rows;
      },
      (error: unknown) => {
        answered(error);
        throw error;
      },
    );
    return { query, answer };
  }

  newSavepoint(): string {
    return `s${this.#savepoints++}`;
  }

  /** Ends it by `commit` or `rollback`; false when the answer says that it was rolled back. */
  async end(statement: 'commit' | 'rollback'): Promise<boolean> {
    this.over ??= new Error('This transaction is over');
    const { command } = await this.send(statement).answer;
    return command === 'COMMIT';
  }
}

/** The transaction itself, or a savepoint in it: it fails with the first of its statements that does. */
class Level implements Scope {
  /** What its first statement that failed threw, though the work has not rejected for it. */
  failure: unknown;
  readonly #transaction: Transaction;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  unsafe(text: string, values: unknown[] = [], options: postgres.UnsafeQueryOptions = {}): Answer {
    const { over } = this.#transaction;
    const sent = over ? undefined : this.#transaction.send(text, values, options);
    const answer: Promise<unknown[]> = sent?.answer ?? Promise.reject(over);
    answer.catch((error: unknown) => {
      this.failure ??= error;
    });
    const asArrays = () => {
      sent?.query.values();
      return answer;
    };
    return Object.assign(answer, { values: asArrays });
  }

  async savepoint<Result>(work: (inner: Scope) => Promise<Result>): Promise<Result> {
    const transaction = this.#transaction;
    if (transaction.over) throw transaction.over;
    const name = transaction.newSavepoint();
    await transaction.send(`savepoint ${name}`).answer;
    const inner = new Level(transaction);
    try {
      return await inner.outcome(work(inner));
    } catch (error) {
      if (!transaction.over) await transaction.send(`rollback to ${name}`).answer;
      throw error;
    }
  }

  /** The result of `work`. @throws what it threw, or what a statement did whose error it swallowed. */
  async outcome<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await this.#transaction.orLost(work);
      this.requireSound();
      return result;
    } catch (error) {
      // The statements after one that failed are refused; that one is the cause.
      throw errorCode(error) === '25P02' ? (this.failure ?? error) : error;
    }
  }

  /** @throws what the first of its statements threw that failed. */
  requireSound(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

/**
 * Runs `work` in a transaction, which is committed when it resolves. When the connection is lost it rejects at once,
 * and what `work` still sends is refused. `prelude` sends statements together with the BEGIN, before that is answered:
 * each must do nothing unless `isInTransaction`. Statements that `work` has sent and not awaited are sent together with
 * the COMMIT; the transaction rejects when one of them fails. A connection on which neither COMMIT nor ROLLBACK was
 * answered is not used again.
 */
export async function inTransaction<Result, Opened>(
  connection: Connection,
  prelude: (scope: Scope) => Opened,
  work: (scope: Scope, opened: Opened) => Promise<Result>,
): Promise<Result> {
  const transaction = new Transaction(connection);
  const level = new Level(transaction);
  const { answer: begun } = transaction.send(begin);
  const opened = prelude(level);
  let isClean = false;
  try {
    await begun;
    const result = await level.outcome(work(level, opened)).catch(async (error: unknown) => {
      if (isConnectionLoss(error)) transaction.lose(error as Error);
      if (!transaction.over)
        isClean = await transaction.end('rollback').then(
          () => true,
          () => false,
        );
      throw error;
    });
    const isCommitted = await transaction.end('commit');
    isClean = true;
    level.requireSound();
    if (!isCommitted) throw new Error('The database rolled a transaction back that was to be committed');
    return result;
  } catch (error) {
    transaction.lose(error as Error);
    throw error;
  } finally {
    connection.whenLost(undefined);
    if (!isClean) connection.discard();
  }
}

/** Nothing of a transaction that was sent whole is committed, for certain. `cause`: why. */
export class NotCommitted extends Error {
  override readonly name = 'NotCommitted';
  /** It did not begin: `cause` is the error of that. */
  isOfBegin = false;
}

/**
 * Errors of a server, or of the network, before it takes a statement: no connection is left, it is starting, nothing
 * listens there.
 */
const neverTaken = /^(53300|57P03|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT)$/;

/**
 * Sends a whole transaction at once: `begin`, the statements that `work` sends before it first waits, and COMMIT. If
 * BEGIN fails, the statements run on their own: use it only on a connection whose transactions are read-only by
 * default.
 * @throws NotCommitted; any other error if it may have been committed.
 */
export async function sendTransaction<Result>(
  connection: Connection,
  begin: string,
  work: (scope: Scope) => Promise<Result>,
): Promise<Result> {
  const transaction = new Transaction(connection);
  const level = new Level(transaction);
  let isClean = false;
  try {
    let notBegun: unknown;
    level.unsafe(begin).catch((error: unknown) => {
      notBegun = error;
    });
    const result = work(level);
    result.catch(() => {});
    const isCommitted = await transaction.end('commit').catch((error: unknown) => {
      const cause = level.failure ?? error;
      if (neverTaken.test(errorCode(cause) ?? '')) throw new NotCommitted('The server took no statement', { cause });
      if (isConnectionLoss(error) || !isOfServer(error)) throw error;
      isClean = true;
      throw new NotCommitted('The transaction could not be committed', { cause: error });
    });
    isClean = true;
    if (isCommitted && level.failure === undefined) return await result;
    const cause = level.failure ?? new Error('COMMIT was answered by ROLLBACK');
    throw Object.assign(new NotCommitted('The transaction was rolled back', { cause }), {
      isOfBegin: cause === notBegun,
    });
  } finally {
    connection.whenLost(undefined);
    if (!isClean) connection.discard();
  }
}
