import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { hostsOf, type ObserveStatement, type Plan, type SettingsBy, tickMs } from './connection.ts';
import { DatabaseSpace, type Space } from './disk-space.ts';
import { retryOnConflict } from './errors.ts';
import { type Origin, serviceOrigin } from './origin.ts';
import { rowsOf, type Statements, send } from './rows.ts';
import { timeLimits, type Work } from './time-limits.ts';
import { inTransaction, type Scope } from './transaction.ts';
import { WorkPools } from './work-pools.ts';

export { instantFromPostgres, type Plan } from './connection.ts';

/** Drizzle's query builder over one of our connections. */
export type Orm = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

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
   * must come from a small set of shapes: values only as `$n`. `custom` asks for a plan made for these values (ignored in a transaction).
   */
  rows<Row extends object>(text: string, values: readonly unknown[], plan?: Plan): Promise<Row[]>;
  /**
   * Runs `work` in a transaction (a savepoint inside one); it commits when `work` resolves. When the database rolls the
   * transaction back because of another one (a deadlock), `work` runs again in a new one: what it does besides
   * statements must bear repeating. `first` is sent together with the BEGIN, and must do nothing unless `isInTransaction`
   * (`db/transaction.ts`); `work` gets its rows. A statement that `work` does not wait for is sent together with the COMMIT,
   * and the transaction rejects when it fails.
   */
  transaction<Result, Row extends object>(
    work: (tx: Db, rows: Promise<Row[]>) => Promise<Result>,
    first?: Statement,
  ): Promise<Result>;
  /** Who makes the changes; the same in every transaction of this `Db`. */
  readonly origin: Origin;
  /** The same pool or transaction, for the changes of another origin. */
  as(origin: Origin): Db;
}

/** The database of the service: as a `Db`, for requests that have no workspace. */
export interface Database extends Db {
  /** For the requests of a workspace, which share a part of the connections. */
  of(workspaceId: string): Db;
  /** For another kind of work, which has connections and time limits of its own. */
  for(work: Work): Db;
  readonly space: Space;
  /** Works at a connection and works that wait for one. */
  readonly load: { busy: number; waiting: number };
  /** Waits up to `seconds` for running statements, then closes every connection. */
  close(seconds?: number): Promise<void>;
  /** The driver itself, for migrations and start-up: without time limits. */
  readonly driver: postgres.Sql;
  /** Where it is, for connections of another kind. */
  readonly url: string;
}

export interface DatabaseOptions {
  /** Connections for the requests; others are a part of that (`db/work-pools.ts`). */
  poolSize?: number;
  applicationName?: string;
  /** Observes every statement but those of migrations, start-up and LISTEN. */
  observe?: ObserveStatement | undefined;
  /** `statement` behind a pooler that does not pass settings on. */
  settingsBy?: SettingsBy;
}

const dialect = new PgDialect();
function ormOf(connection: Statements): Orm {
  const sender = { unsafe: (text: string, values: unknown[]) => send(connection, text, values) };
  const session = new PostgresJsSession(sender as unknown as postgres.Sql, dialect, undefined);
  return new PgDatabase(dialect, session, undefined) as unknown as Orm;
}

/** Runs a transaction; what it recorded is forgotten when it is rolled back. */
async function recording<Result>(origin: Origin, run: () => Promise<Result>): Promise<Result> {
  const { eventId } = origin;
  try {
    return await run();
  } catch (error) {
    origin.eventId = eventId;
    throw error;
  }
}

/** The rows of the statement that opens a transaction, if there is one. Whoever waits for them handles its failure. */
function opening<Row>(scope: Scope, first: Statement | undefined): Promise<Row[]> {
  const rows = first ? rowsOf<Row>(scope, first.text, first.values) : Promise.resolve([]);
  rows.catch(() => {});
  return rows;
}

function transactionDb(connection: Scope, origin: Origin): Db {
  let orm: Orm | undefined;
  return {
    origin,
    as: (other) => transactionDb(connection, other),
    get orm() {
      orm ??= ormOf(connection);
      return orm;
    },
    rows: (text, values) => rowsOf(connection, text, values),
    transaction: (work, first) =>
      recording(origin, () =>
        connection.savepoint((inner) => work(transactionDb(inner, origin), opening(inner, first))),
      ),
  };
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

/** Statements of one kind of work, and of one workspace where it is known. */
class PooledDb implements Db {
  readonly #pools: WorkPools;
  readonly #workspaceId: string | undefined;
  readonly origin: Origin;
  #orm: Orm | undefined;

  constructor(pools: WorkPools, workspaceId?: string, origin = serviceOrigin()) {
    this.#pools = pools;
    this.#workspaceId = workspaceId;
    this.origin = origin;
  }

  as(origin: Origin): Db {
    return new PooledDb(this.#pools, this.#workspaceId, origin);
  }

  get orm(): Orm {
    this.#orm ??= ormOf({
      unsafe: (text: string, values: never[], options: postgres.UnsafeQueryOptions) =>
        answerOf((asArrays) =>
          this.#pools.statement(text, 'generic', this.#workspaceId, async ({ sql }) => {
            const query = sql.unsafe(text, values, options);
            return asArrays ? await query.values() : await query;
          }),
        ),
    } as unknown as Statements);
    return this.#orm;
  }

  rows<Row extends object>(text: string, values: readonly unknown[], plan: Plan = 'generic'): Promise<Row[]> {
    return retryOnConflict(() =>
      this.#pools.statement(text, plan, this.#workspaceId, ({ sql }) => rowsOf<Row>(sql, text, values)),
    );
  }

  transaction<Result, Row extends object>(
    work: (tx: Db, rows: Promise<Row[]>) => Promise<Result>,
    first?: Statement,
  ): Promise<Result> {
    const once = () =>
      this.#pools.transaction(this.#workspaceId, (connection) =>
        inTransaction(
          connection,
          (scope) => opening<Row>(scope, first),
          (scope, rows) => work(transactionDb(scope, this.origin), rows),
        ),
      );
    return retryOnConflict(() => recording(this.origin, once));
  }
}

/**
 * Opens the database at `url` (PostgreSQL 15–18). Instants come back as RFC 3339 strings, dates as `YYYY-MM-DD`.
 * Connects lazily: a database that cannot be reached fails the first statement.
 */
export function connect(url: string, options: DatabaseOptions = {}): Database {
  const { poolSize = 20, applicationName = 'tandem', observe, settingsBy = 'startup' } = options;
  const base = { url, hosts: hostsOf(url), applicationName, observe, settingsBy };
  const space = new DatabaseSpace({ ...base, plan: 'generic', limits: timeLimits.health });
  const onError = (error: unknown) => space.note(error);
  const pools = new Map<Work, WorkPools>();
  const poolsOf = (work: Work) => {
    const known = pools.get(work) ?? new WorkPools(work, poolSize, { ...base, onError });
    pools.set(work, known);
    return known;
  };
  const requests = poolsOf('requests');
  const db = new PooledDb(requests);
  const driver = postgres(url, {
    max: 2,
    idle_timeout: 60,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: applicationName, TimeZone: 'UTC' },
  });
  const ticks = setInterval(() => {
    for (const each of pools.values()) each.tick();
  }, tickMs);
  ticks.unref();
  return {
    get orm() {
      return db.orm;
    },
    driver,
    url,
    space,
    get load() {
      return requests.load;
    },
    origin: db.origin,
    as: (origin) => db.as(origin),
    rows: (text, values, plan) => db.rows(text, values, plan),
    transaction: (work, first) => db.transaction(work, first),
    of: (workspaceId) => new PooledDb(requests, workspaceId),
    for: (work) => new PooledDb(poolsOf(work)),
    close: async (seconds = 5) => {
      await Promise.all([driver.end({ timeout: seconds }), ...[...pools.values()].map((each) => each.close(seconds))]);
      clearInterval(ticks);
    },
  };
}
