import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { inTransaction, type Scope } from './transaction.ts';
import { repeated } from './trouble.ts';

/** Drizzle's query builder over one of our connections. */
export type Orm = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/** How PostgreSQL plans a statement: once for all values, or anew for these values. */
export type Plan = 'generic' | 'custom';

/** The database as domain code sees it: the pool, or one transaction. */
export interface Db {
  /** Drizzle's query builder; every statement it makes is prepared and goes to this connection. */
  readonly orm: Orm;
  /**
   * Runs one statement and returns its rows. The text is prepared once per connection, so it must come from a small
   * set of shapes: values only as `$n`. `custom` asks for a plan made for these values (ignored in a transaction).
   */
  rows<Row extends object>(text: string, values: readonly unknown[], plan?: Plan): Promise<Row[]>;
  /**
   * Runs `work` in a transaction (a savepoint inside one); it commits when `work` resolves. When the database takes the
   * transaction back because of another one (a deadlock), `work` runs again in a new one: what it does besides
   * statements must bear repeating.
   */
  transaction<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
}

export interface Database extends Db {
  /** Waits up to `seconds` for running statements, then closes every connection. */
  close(seconds?: number): Promise<void>;
  /** The driver itself, for migrations and start-up. */
  readonly driver: postgres.Sql;
  /** Where it is, for connections of another kind. */
  readonly url: string;
}

export interface DatabaseOptions {
  /** Connections in the pool for planned-once statements; a quarter as many serve statements planned anew. */
  poolSize?: number;
  applicationName?: string;
}

type Connection = postgres.Sql | Scope;

const dialect = new PgDialect();
const identity = <T>(value: T) => value;

/** `2026-03-01 09:00:00.5+00` as PostgreSQL prints it in UTC, to `2026-03-01T09:00:00.500Z`. */
export function instantFromPostgres(text: string): string {
  const zone = text.indexOf('+', 19);
  const fraction = text.slice(20, zone < 0 ? undefined : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

function ormOf(connection: Connection): Orm {
  const prepared = {
    unsafe: (text: string, values: unknown[]) => connection.unsafe(text, values as never[], { prepare: true }),
  };
  const session = new PostgresJsSession(prepared as unknown as postgres.Sql, dialect, undefined);
  return new PgDatabase(dialect, session, undefined) as unknown as Orm;
}

type Columns = postgres.ColumnList<string>;
type MakeRow = (values: unknown[]) => object;

/** By the columns of a statement on a connection, and by what they are called. */
const [makers, makersByName] = [new WeakMap<Columns, MakeRow>(), new Map<string, MakeRow>()];

/**
 * What makes rows of these columns: one object literal. The driver would set the columns one after another, which grows
 * and copies each object several times.
 */
function makerOf(columns: Columns): MakeRow {
  const known = makers.get(columns);
  if (known) return known;
  const fields = columns.map(({ name }, place) => `${JSON.stringify(name)}: values[${place}]`).join(', ');
  const make = makersByName.get(fields) ?? (new Function('values', `return { ${fields} };`) as MakeRow);
  makersByName.set(fields, make);
  makers.set(columns, make);
  return make;
}

async function rowsOf<Row>(connection: Connection, text: string, values: readonly unknown[]): Promise<Row[]> {
  const found = (await connection.unsafe(text, values as never[], { prepare: true }).values()) as postgres.RowList<
    unknown[][]
  >;
  if (found.length === 0) return [];
  const make = makerOf(found.columns);
  const rows = found.map((row) => make(row) as Row);
  // The promise of the driver outlives the collections of young objects, and all that it holds with it.
  found.length = 0;
  return rows;
}

function transactionDb(connection: Scope): Db {
  let orm: Orm | undefined;
  return {
    get orm() {
      orm ??= ormOf(connection);
      return orm;
    },
    rows: (text, values) => rowsOf(connection, text, values),
    transaction: <Result>(work: (tx: Db) => Promise<Result>) =>
      connection.savepoint((inner) => work(transactionDb(inner))),
  };
}

/** Seconds until a lost connection is tried again. The driver's own pauses grow to 20 s while requests wait for it. */
export const reconnectPause = (): number => 0.1 + Math.random() * 0.4;

/**
 * How long a transaction may wait for its next statement, in ms. Ours never wait: a process that stands still or lies
 * behind a broken network must not hold its locks, or everybody else would wait with it.
 */
const longestIdleMs = 10_000;

function pool(url: string, plan: string, max: number, applicationName: string): postgres.Sql {
  return postgres(url, {
    max,
    backoff: reconnectPause,
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      TimeZone: 'UTC',
      plan_cache_mode: plan,
      idle_in_transaction_session_timeout: longestIdleMs,
    },
    types: {
      instant: { to: 1184, from: [1184], serialize: identity<string>, parse: instantFromPostgres },
      calendarDate: { to: 1082, from: [1082], serialize: identity<string>, parse: identity<string> },
      json: {
        to: 114,
        from: [114, 3802],
        serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
        parse: (text: string): unknown => JSON.parse(text),
      },
    },
  });
}

/**
 * Opens the database at `url` (PostgreSQL 15–18). Instants come back as RFC 3339 strings, dates as `YYYY-MM-DD`.
 * Connects lazily: a database that cannot be reached fails the first statement.
 */
export function connect(url: string, options: DatabaseOptions = {}): Database {
  const { poolSize = 20, applicationName = 'tandem' } = options;
  const generic = pool(url, 'force_generic_plan', poolSize, applicationName);
  const custom = pool(url, 'auto', Math.max(2, Math.ceil(poolSize / 4)), applicationName);
  return {
    orm: ormOf(generic),
    driver: generic,
    url,
    rows: (text, values, plan = 'generic') =>
      repeated(() => rowsOf(plan === 'generic' ? generic : custom, text, values)),
    transaction: <Result>(work: (tx: Db) => Promise<Result>) =>
      repeated(() => inTransaction(generic, (scope) => work(transactionDb(scope)))),
    close: async (seconds = 5) => {
      await Promise.all([generic.end({ timeout: seconds }), custom.end({ timeout: seconds })]);
    },
  };
}
