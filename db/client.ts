import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type ObserveStatement, type SettingsBy, tickMs } from './connection.ts';
import type { Db } from './db.ts';
import { DirectStatements } from './direct-statements.ts';
import { DatabaseSpace, type Space } from './disk-space.ts';
import { type EngineName, engineOf } from './engine/index.ts';
import { Hosts } from './hosts.ts';
import { Notifier } from './notifier.ts';
import { PooledDb } from './pooled-db.ts';
import { rowsOf } from './rows.ts';
import { timeLimits, type Work } from './time-limits.ts';
import { WorkPools } from './work-pools.ts';

export type { Plan } from './connection.ts';
export type { Db, Statement } from './db.ts';
export { instantFromPostgres } from './value-types.ts';

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
  /** Whether statements of a workspace go to its worker of Citus; true without it. */
  isDirect?: boolean;
}

/**
 * Opens the database at `url` (PostgreSQL 15–18). Instants come back as RFC 3339 strings, dates as `YYYY-MM-DD`.
 * Connects lazily: a database that cannot be reached fails the first statement.
 */
export function connect(url: string, options: DatabaseOptions = {}): Database {
  const { poolSize = 20, applicationName = 'tandem', observe, settingsBy = 'startup', isDirect = true } = options;
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
  const db = new PooledDb({ pools: requests, notifier });
  const onCoordinator = <Row extends object>(text: string, values: readonly unknown[]) => db.rows<Row>(text, values);
  const direct =
    engine.name === 'citus' && isDirect
      ? new DirectStatements({ ...base, onError }, poolSize, onCoordinator)
      : undefined;
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
    of: (workspaceId) => new PooledDb({ pools: requests, notifier, direct }, workspaceId),
    for: (work) => new PooledDb({ pools: poolsOf(work), notifier }),
    close: async (seconds = 5) => {
      await Promise.race([notifier.idle(), sleep(seconds * 1000, undefined, { ref: false })]);
      await Promise.all([
        driver.end({ timeout: seconds }),
        direct?.close(seconds),
        ...[...pools.values()].map((each) => each.close(seconds)),
      ]);
      clearInterval(ticks);
    },
  };
}
