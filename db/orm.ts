import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { type Statements, send } from './rows.ts';

/** Drizzle's query builder over one of our connections. */
export type Orm = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

const dialect = new PgDialect();

/** The query builder of one connection. */
export function ormOf(connection: Statements): Orm {
  const sender = { unsafe: (text: string, values: unknown[]) => send(connection, text, values) };
  const session = new PostgresJsSession(sender as unknown as postgres.Sql, dialect, undefined);
  return new PgDatabase(dialect, session, undefined) as unknown as Orm;
}

/** A statement whose rows may be asked for as arrays right after it was called, as the driver's may. */
function answerOf(run: (asArrays: boolean) => Promise<unknown>) {
  let asArrays = false;
  const answer = Promise.resolve().then(() => run(asArrays));
  const values = () => {
    asArrays = true;
    return answer;
  };
  return Object.assign(answer, { values });
}

/** The query builder whose statements each run on a connection that `use` gives them. */
export function pooledOrm(
  use: (text: string, run: (connection: Statements) => Promise<unknown>) => Promise<unknown>,
): Orm {
  return ormOf({
    unsafe: (text: string, values: never[], options: postgres.UnsafeQueryOptions) =>
      answerOf((asArrays) =>
        use(text, async (connection) => {
          const query = connection.unsafe(text, values, options);
          return asArrays ? await query.values() : await query;
        }),
      ),
  } as unknown as Statements);
}
