import type { Logger } from 'pino';
import type postgres from 'postgres';
import { connect, type Database } from '../db/client.ts';
import { openEmbedded } from '../db/embedded/index.ts';
import type { EngineName } from '../db/engine/index.ts';
import { engineOn } from '../db/engine-check.ts';
import { migrate } from '../db/migrate.ts';
import { examineSessions } from '../db/session-check.ts';
import type { Config } from './config.ts';
import { observeStatements } from './runtime/statements.ts';

export interface OpenDatabase {
  db: Database;
  /** True when PostgreSQL runs in the data directory of this service. */
  embedded: boolean;
  /** Waits up to `seconds` (5) for running statements. */
  close(seconds?: number): Promise<void>;
}

/**
 * The database of the configuration, migrated: `DATABASE_URL`, or an embedded one in `DATA_DIR`. `exclusive: false`
 * joins an embedded database that another process of this service runs, and makes none.
 */
export async function openDatabase(config: Config, log: Logger, exclusive = true): Promise<OpenDatabase> {
  const embedded = config.DATABASE_URL
    ? undefined
    : await openEmbedded({
        dataDir: config.DATA_DIR,
        exclusive,
        ...(config.EMBEDDED_PORT > 0 && { port: config.EMBEDDED_PORT }),
        log: (line, level = 'debug') => log[level](line),
      });
  const url = embedded?.url ?? config.DATABASE_URL ?? '';
  const found = embedded ? {} : await examineSessions(url, engineOn);
  const db = connect(url, {
    poolSize: config.DATABASE_POOL_SIZE,
    isDirect: config.CITUS_DIRECT === 'true',
    ...found,
    observe: observeStatements(log, config.SLOW_STATEMENT_MS),
  });
  const close = async (seconds?: number) => {
    await db.close(seconds);
    await embedded?.stop();
  };
  try {
    const applied = await migrate(db.driver, undefined, (wait) =>
      log.warn(wait, 'migration waits for locks that others hold, will retry'),
    );
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    return { db, embedded: embedded !== undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where it is off: a row for each server, with its name in a cluster. */
const untracked: Record<EngineName, string> = {
  postgres: `select null as node where current_setting('track_commit_timestamp') <> 'on'`,
  citus: `select n.nodename || ':' || n.nodeport as node
    from run_command_on_all_nodes('show track_commit_timestamp') r join pg_dist_node n using (nodeid)
    where r.success and r.result <> 'on' order by 1`,
};

/**
 * Logs a warning where a server of the database does not record when transactions commit: events may get another order
 * then.
 */
export async function checkCommitOrder(
  { driver, engine }: Pick<Database, 'engine'> & { driver: Pick<postgres.Sql, 'unsafe'> },
  log: Logger,
): Promise<void> {
  const found = await driver.unsafe<{ node: string | null }[]>(untracked[engine]);
  if (found.length === 0) return;
  const nodes = found.flatMap(({ node }) => node ?? []);
  const where = nodes.length > 0 ? ` on ${nodes.join(', ')}` : '';
  log.warn(
    `track_commit_timestamp is off${where}: events may be numbered in another order than that of their commits. Set it to on, and restart PostgreSQL`,
  );
}
