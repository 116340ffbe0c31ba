import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type ObserveStatement, type Plan, type SettingsBy, tickMs } from './connection.ts';
import { DatabaseSpace, type Space } from './disk-space.ts';
import { type EngineName, engineOf } from './engine/index.ts';
import { inTransactionOf } from './engine-transaction.ts';
import { retryOnConflict } from './errors.ts';
import { Hosts } from './hosts.ts';
import { HeldNotifications, Notifier, type Outgoing } from './notifier.ts';
import { type Origin, recording, serviceOrigin } from './origin.ts';
import { type Orm, ormOf, pooledOrm } from './orm.ts';
import { rowsOf } from './rows.ts';
import { timeLimits, type Work } from './time-limits.ts';
import type { Scope } from './transaction.ts';
import { WorkPools } from './work-pools.ts';

export type { Plan } from './connection.ts';
export { instantFromPostgres } from './value-types.ts';

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
   * Like `rows`, for a statement that only reads, and few rows whatever its values are: it may share a connection with
   * others of the same text, and waits for them (`db/shared-reads.ts`).
   */
  lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]>;
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
  /**
   * Notifies all processes that listen to the channel: in a transaction once it has committed, else at once. It returns at
   * once, and a notification may be lost. `payload` has at most 7,999 bytes.
   */
  notify(channel: string, payload: string): void;
  readonly engine: EngineName;
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
  engine?: EngineName;
}

/** The rows of the statement that opens a transaction, if there is one. Whoever waits for them handles its failure. */
function opening<Row>(scope: Scope, first: Statement | undefined): Promise<Row[]> {
  const rows = first ? rowsOf<Row>(scope, first.text, first.values) : Promise.resolve([]);
  rows.catch(() => {});
  return rows;
}

function transactionDb(connection: Scope, origin: Origin, outgoing: Outgoing, engine: EngineName): Db {
  let orm: Orm | undefined;
  return {
    engine,
    origin,
    as: (other) => transactionDb(connection, other, outgoing, engine),
    notify: (channel, payload) => outgoing.add([{ channel, payload }]),
    get orm() {
      orm ??= ormOf(connection);
      return orm;
    },
    rows: (text, values) => rowsOf(connection, text, values),
    lookUp: (text, values) => rowsOf(connection, text, values),
    transaction: (work, first) =>
      recording(origin, async () => {
        const held = new HeldNotifications(outgoing);
        const result = await connection.savepoint((inner) =>
          work(transactionDb(inner, origin, held, engine), opening(inner, first)),
        );
        held.release();
        return result;
      }),
  };
}

/** Statements of one kind of work, and of one workspace where it is known. */
class PooledDb implements Db {
  readonly #pools: WorkPools;
  readonly #notifier: Notifier;
  readonly #workspaceId: string | undefined;
  readonly origin: Origin;
  #orm: Orm | undefined;

  constructor(pools: WorkPools, notifier: Notifier, workspaceId?: string, origin = serviceOrigin()) {
    this.#pools = pools;
    this.#notifier = notifier;
    this.#workspaceId = workspaceId;
    this.origin = origin;
  }

  as(origin: Origin): Db {
    return new PooledDb(this.#pools, this.#notifier, this.#workspaceId, origin);
  }

  notify(channel: string, payload: string): void {
    this.#notifier.add([{ channel, payload }]);
  }

  get engine(): EngineName {
    return this.#pools.engine.name;
  }

  get orm(): Orm {
    this.#orm ??= pooledOrm((text, run) => this.#pools.run(text, 'generic', this.#workspaceId, run));
    return this.#orm;
  }

  rows<Row extends object>(text: string, values: readonly unknown[], plan: Plan = 'generic'): Promise<Row[]> {
    return retryOnConflict(() =>
      this.#pools.run(text, plan, this.#workspaceId, (connection) => rowsOf<Row>(connection, text, values)),
    );
  }

  lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return retryOnConflict(() =>
      this.#pools.lookUp(text, this.#workspaceId, (connection) => rowsOf<Row>(connection, text, values)),
    );
  }

  transaction<Result, Row extends object>(
    work: (tx: Db, rows: Promise<Row[]>) => Promise<Result>,
    first?: Statement,
  ): Promise<Result> {
    const once = async () => {
      const held = new HeldNotifications(this.#notifier);
      const result = await this.#pools.transaction(this.#workspaceId, (connection) =>
        inTransactionOf(
          this.#pools.engine,
          connection,
          first,
          (scope, opens) => opening<Row>(scope, opens),
          (scope, rows) => work(transactionDb(scope, this.origin, held, this.engine), rows),
        ),
      );
      held.release();
      return result;
    };
    return retryOnConflict(() => recording(this.origin, once));
  }
}

/**
 * Opens the database at `url` (PostgreSQL 15–18). Instants come back as RFC 3339 strings, dates as `YYYY-MM-DD`.
 * Connects lazily: a database that cannot be reached fails the first statement.
 */
export function connect(url: string, options: DatabaseOptions = {}): Database {
  const { poolSize = 20, applicationName = 'tandem', observe, settingsBy = 'startup' } = options;
  const engine = engineOf(options.engine);
  const hosts = new Hosts(url);
  const base = { url, hosts, applicationName, observe, settingsBy, engine };
  const space = new DatabaseSpace({ ...base, plan: 'generic', limits: timeLimits.health });
  const onError = (error: unknown) => space.note(error);
  const pools = new Map<Work, WorkPools>();
  const poolsOf = (work: Work) => {
    const known = pools.get(work) ?? new WorkPools(work, poolSize, { ...base, onError });
    pools.set(work, known);
    return known;
  };
  const requests = poolsOf('requests');
  const notifications = poolsOf('notifications');
  const notifier = new Notifier((text, values) =>
    notifications.run(text, 'generic', undefined, (connection) => rowsOf(connection, text, values)),
  );
  const db = new PooledDb(requests, notifier);
  const driver = postgres(url, {
    max: 2,
    idle_timeout: 60,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: applicationName, TimeZone: 'UTC' },
    ...hosts.driverOptions,
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
    engine: db.engine,
    origin: db.origin,
    as: (origin) => db.as(origin),
    rows: (text, values, plan) => db.rows(text, values, plan),
    lookUp: (text, values) => db.lookUp(text, values),
    transaction: (work, first) => db.transaction(work, first),
    notify: (channel, payload) => db.notify(channel, payload),
    of: (workspaceId) => new PooledDb(requests, notifier, workspaceId),
    for: (work) => new PooledDb(poolsOf(work), notifier),
    close: async (seconds = 5) => {
      await Promise.race([notifier.idle(), sleep(seconds * 1000, undefined, { ref: false })]);
      await Promise.all([driver.end({ timeout: seconds }), ...[...pools.values()].map((each) => each.close(seconds))]);
      clearInterval(ticks);
    },
  };
}
