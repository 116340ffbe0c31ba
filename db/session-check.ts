import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type SettingsBy, sessionSettings } from './connection.ts';
import { isDatabaseError, SharedSessionError } from './errors.ts';
import { Hosts } from './hosts.ts';
import { maxConnectMs, timeLimits } from './time-limits.ts';

/** Settings that no role has by itself. */
const asked = sessionSettings('generic', { ...timeLimits.maintenance, maxStatementMs: 59_871, maxLockMs: 1_871 });

/**
 * A pooler gives an idle session to the next statement of any client. Another process may take it between two of these.
 */
const rounds = 5;

const open = (url: string, hosts: Hosts, settings: object) =>
  postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: maxConnectMs / 1000,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'tandem', ...settings } as Record<string, string>,
    ...hosts.driverOptions,
  });

async function within<Result>(work: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const timeout = sleep(2 * maxConnectMs, undefined, { signal: late.signal }).then(() => {
    throw Object.assign(new Error('The database cannot be reached in time'), { code: 'CONNECT_TIMEOUT' });
  });
  timeout.catch(() => {});
  work.catch(() => {});
  return Promise.race([work, timeout]).finally(() => late.abort());
}

/**
 * Whether the settings that a connection is opened with are in force. PgBouncer refuses those that it does not know.
 */
async function passesSettings(sql: postgres.Sql): Promise<boolean> {
  try {
    const found = await sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings where name in ${sql(Object.keys(asked))}`;
    const inForce = new Map(found.map(({ name, setting }) => [name, setting]));
    return Object.entries(asked).every(([name, value]) => inForce.get(name) === String(value));
  } catch (error) {
    if (isDatabaseError('protocol', error)) return false;
    throw error;
  }
}

/** The processes of the server that answer a connection; one, unless a pooler chooses another for each transaction. */
async function isShared(one: postgres.Sql, two: postgres.Sql): Promise<boolean> {
  const [ofOne, ofTwo] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < rounds; round++) {
    for (const [sql, pids] of [
      [one, ofOne],
      [two, ofTwo],
    ] as const) {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
      if (row) pids.add(row.pid);
    }
    if (ofOne.size > 1 || ofTwo.size > 1 || !ofOne.isDisjointFrom(ofTwo)) return true;
  }
  return false;
}

/** What a start finds out on the connections that it examines. */
export interface Examined<Engine> {
  /** How connections get their settings. */
  settingsBy: SettingsBy;
  engine: Engine;
}

/**
 * Examines whether the connections to `url` have sessions of their own, which prepared statements, time limits, LISTEN
 * and locks need, and how they get their settings. Poolers share sessions except in their session mode. `engineOn` is
 * asked on one of the connections; `setting` is named in the error.
 * @throws SharedSessionError, or the error of a database that cannot be reached.
 */
export async function examineSessions<Engine>(
  url: string,
  engineOn: (sql: postgres.Sql) => Promise<Engine>,
  setting = 'DATABASE_URL',
): Promise<Examined<Engine>> {
  const opened: postgres.Sql[] = [];
  const hosts = new Hosts(url);
  const connection = (settings = {}) => {
    const sql = open(url, hosts, settings);
    opened.push(sql);
    return sql;
  };
  try {
    const set = connection(asked);
    const settingsBy = (await within(passesSettings(set))) ? 'startup' : 'statement';
    const [one, two] = [connection(), settingsBy === 'startup' ? set : connection()];
    if (await within(isShared(one, two))) {
      throw new SharedSessionError(
        `The pooler at ${setting} shares sessions of PostgreSQL between its clients, and Tandem needs sessions of its own ` +
          `(docs/operations.md, “Poolers”). Set its mode to session (PgBouncer: pool_mode = session), or set ${setting} to ` +
          'the address of PostgreSQL itself.',
      );
    }
    return { settingsBy, engine: await within(engineOn(one)) };
  } finally {
    await Promise.all(opened.map((sql) => sql.end({ timeout: 0 })));
  }
}
