import type postgres from 'postgres';
import type { StatementWatch } from './connection.ts';
import { isConnectionLoss } from './errors.ts';

/** The rows of a statement. `values()`, called before they arrive, makes them arrays instead of objects. */
type Answer = Promise<unknown[]> & { values(): Promise<unknown[]> };

/** The statements of a transaction, or of a savepoint in one. */
export interface Scope {
  unsafe(text: string, values?: unknown[], options?: postgres.UnsafeQueryOptions): Answer;
  /** Runs `work` in a savepoint, which is rolled back when `work` rejects. */
  savepoint<Result>(work: (inner: Scope) => Promise<Result>): Promise<Result>;
}

/** The state of a transaction's connection. */
interface Connection {
  /** Never resolves; rejects when the transaction is over otherwise than by its own end. */
  lost: Promise<never>;
  /** Set once no statement may be sent any more. */
  over: Error | undefined;
  watch: StatementWatch;
}

const never = new Promise<never>(() => {});

function scopeOf(sql: postgres.TransactionSql, connection: Connection): Scope {
  const { watch } = connection;
  return {
    unsafe: (text, values = [], options = {}) => {
      const query = connection.over ? undefined : sql.unsafe(text, values as never[], options);
      if (query) watch.sent();
      const answer: Promise<unknown[]> = query
        ? Promise.race([query as Promise<unknown[]>, connection.lost]).finally(() => watch.answered())
        : Promise.reject(connection.over);
      // The driver rejects the transaction for it, whether or not the answer is awaited.
      answer.catch(() => {});
      const asArrays = () => {
        query?.values();
        return answer;
      };
      return Object.assign(answer, { values: asArrays });
    },
    savepoint: (work) =>
      new Promise((resolve, reject) => {
        if (connection.over) return reject(connection.over);
        watch.sent();
        const settled = sql.savepoint((inner) => {
          watch.answered();
          return shielded(connection, work(scopeOf(inner, connection)), reject);
        });
        Promise.race([settled, connection.lost]).then(resolve as (result: unknown) => void, reject);
      }),
  };
}

/**
 * The outcome of `work` for the driver: never, when the connection is gone. The driver would answer a failure with a
 * `rollback`, and on a connection that is gone that ends the process (https://github.com/porsager/postgres/issues/1208).
 */
async function shielded<Result>(
  connection: Connection,
  work: Promise<Result>,
  report: (error: unknown) => void,
): Promise<Result> {
  const fail = (error: unknown) => {
    connection.over ??= error as Error;
    report(error);
    return never;
  };
  try {
    const result = await work;
    return connection.over ? await fail(connection.over) : result;
  } catch (error) {
    if (connection.over || isConnectionLoss(error)) return await fail(error);
    throw error;
  }
}

/**
 * Runs `work` in a transaction. When its connection is lost it rejects at once, and what `work` still sends is refused:
 * the driver would make a new connection and run the rest outside of any transaction
 * (https://github.com/porsager/postgres/pull/1155).
 */
export async function inTransaction<Result>(
  pool: postgres.Sql,
  work: (scope: Scope) => Promise<Result>,
  watch: StatementWatch,
): Promise<Result> {
  const loss = Promise.withResolvers<never>();
  loss.promise.catch(() => {});
  const connection: Connection = { lost: loss.promise, over: undefined, watch };
  const end = (error: Error) => {
    connection.over ??= error;
    loss.reject(error);
  };
  try {
    watch.sent();
    const outcome = pool.begin((sql) => {
      watch.answered();
      const worked = work(scopeOf(sql, connection));
      // The next statement is the driver's: it commits or rolls back.
      return shielded(connection, worked, loss.reject).finally(() => watch.sent());
    });
    const result = (await Promise.race([outcome, connection.lost])) as Result;
    connection.over = new Error('This transaction is over');
    watch.answered();
    return result;
  } catch (error) {
    end(error as Error);
    throw error;
  }
}
