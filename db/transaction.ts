import type postgres from 'postgres';

/** An answer, which may be asked for as arrays instead of objects before it is there. */
type Answer = Promise<unknown[]> & { values(): Promise<unknown[]> };

/** The statements of a transaction, or of a savepoint in one. */
export interface Scope {
  unsafe(text: string, values?: unknown[], options?: postgres.UnsafeQueryOptions): Answer;
  /** Runs `work` in a savepoint, which is rolled back when `work` rejects. */
  savepoint<Result>(work: (inner: Scope) => Promise<Result>): Promise<Result>;
}

/** What a transaction knows of its connection. */
interface Connection {
  /** Never resolves; rejects when the transaction is over otherwise than by its own end. */
  lost: Promise<never>;
  /** Set once no statement may be sent any more. */
  over: Error | undefined;
}

const never = new Promise<never>(() => {});

/** Whether the error says that the connection is gone, or about to go. */
function isLoss(error: unknown): boolean {
  const { code, severity, syscall } = error as { code?: unknown; severity?: unknown; syscall?: unknown };
  return severity === 'FATAL' || severity === 'PANIC' || syscall !== undefined || /^CONNECTION_/.test(String(code));
}

function scopeOf(sql: postgres.TransactionSql, connection: Connection): Scope {
  return {
    unsafe: (text, values = [], options = {}) => {
      const query = connection.over ? undefined : sql.unsafe(text, values as never[], options);
      const answer: Promise<unknown[]> = query
        ? Promise.race([query as Promise<unknown[]>, connection.lost])
        : Promise.reject(connection.over);
      // The driver rejects the transaction for it, whether or not somebody waits for the answer.
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
        const settled = sql.savepoint((inner) => shielded(connection, work(scopeOf(inner, connection)), reject));
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
  tell: (error: unknown) => void,
): Promise<Result> {
  const fail = (error: unknown) => {
    connection.over ??= error as Error;
    tell(error);
    return never;
  };
  try {
    const result = await work;
    return connection.over ? await fail(connection.over) : result;
  } catch (error) {
    if (connection.over || isLoss(error)) return await fail(error);
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
): Promise<Result> {
  const loss = Promise.withResolvers<never>();
  loss.promise.catch(() => {});
  const connection: Connection = { lost: loss.promise, over: undefined };
  const end = (error: Error) => {
    connection.over ??= error;
    loss.reject(error);
  };
  try {
    const outcome = pool.begin((sql) => shielded(connection, work(scopeOf(sql, connection)), loss.reject));
    const result = (await Promise.race([outcome, connection.lost])) as Result;
    connection.over = new Error('This transaction is over');
    return result;
  } catch (error) {
    end(error as Error);
    throw error;
  }
}
