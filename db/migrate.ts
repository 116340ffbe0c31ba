import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { isDistributed, placeMade, prepareSession } from './engine/distribute.ts';
import { replaceRefused } from './engine/replacements.ts';
import { isConnectionLoss } from './errors.ts';
import { buildIndexesAhead } from './index-builds.ts';
import { beginWithShortWaits, type MigrationWait, repeatUntilUnlocked } from './migration-waits.ts';

/** The migrations cannot be applied; nothing of the one that failed remains. The message is written for a person. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Migration {
  tag: string;
  hash: string;
  statements: string[];
}

interface Release {
  migrations: Migration[];
  /** The last migration of the previous release, which runs on a database with all of these. */
  runsWith: string | null;
}

/** A migration as the database recorded it. */
interface Applied {
  tag: string;
  hash: string;
  /** Code that knows this migration can run on the database, although it does not know the applied one. */
  runsWith: string | null;
}

type OnWait = (wait: MigrationWait) => void;

const defaultFolder = fileURLToPath(new URL('./migrations', import.meta.url));
const lockKey = [0x7a4d, 2] as const;
const oldestPostgres = 15;

/**
 * Waits for the lock by asking for it in transactions of 0.1 s: an index that is built beside writers waits for every
 * transaction, also for one that waits for this lock. It is one statement, because the driver fails where a connection
 * is lost between two.
 */
const takeLock = `do $$ begin
  while not pg_try_advisory_lock(${lockKey[0]}, ${lockKey[1]}) loop commit; perform pg_sleep(0.1); commit; end loop;
end $$`;

/**
 * Releases whose last migration is this one refuse any other that is in `tandem_migrations`. The later migrations are
 * recorded in `tandem_compatible_migrations`, which they do not read.
 */
const lastStrict = '0005_captures';

/**
 * Applies db/migrations/*.sql (drizzle-kit's output) that the database has not seen, each in one transaction with its
 * row in the record of migrations; processes that start together wait for one another. Returns the tags applied now. A
 * database that a later release migrated is accepted when that release declared it compatible with this code
 * (`previous-release.json` of its migrations). Throws MigrationError for a failing statement, an applied file that
 * changed, a database ahead of this code, and a PostgreSQL that is too old. In a database that is distributed on Citus,
 * new tables are placed as `engine/placement.ts` says. Indexes of large tables are built before, while others write. A
 * migration that does not get a lock within seconds is repeated without end; `onWait` is called each time.
 */
export async function migrate(sql: postgres.Sql, folder = defaultFolder, onWait: OnWait = () => {}): Promise<string[]> {
  const release = await readRelease(folder);
  const connection = await sql.reserve();
  try {
    const { hasRecords } = await requireVersion(connection);
    // Most starts find nothing to do, and need no lock for that.
    if (hasRecords && (await missingOf(connection, release)).length === 0) return [];
    return await applyLocked(connection, release, onWait);
  } finally {
    connection.release();
  }
}

async function applyLocked(connection: postgres.ReservedSql, release: Release, onWait: OnWait): Promise<string[]> {
  try {
    // Waiting for another process is no failure, however long its migration takes.
    await connection.unsafe('set statement_timeout = 0; set lock_timeout = 0');
    await connection.unsafe(takeLock);
    const applied = await applyMissing(connection, release, onWait);
    await restore(connection);
    return applied;
  } catch (error) {
    if (!isLost(error)) await restore(connection);
    throw error;
  }
}

/** Whether the connection is lost, with its locks and its transaction. The driver fails where it is used after that. */
function isLost(error: unknown): boolean {
  return isConnectionLoss(error) || (error instanceof MigrationError && isConnectionLoss(error.cause));
}

/** Unlocks and resets the session. */
async function restore(connection: postgres.ReservedSql): Promise<void> {
  try {
    await connection`select pg_advisory_unlock(${lockKey[0]}, ${lockKey[1]})`;
    await connection.unsafe('reset statement_timeout; reset lock_timeout');
  } catch {}
}

/** @throws MigrationError */
async function requireVersion(connection: postgres.ReservedSql): Promise<{ hasRecords: boolean }> {
  const [row] = await connection<{ major: number; version: string; hasRecords: boolean }[]>`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version,
      to_regclass('tandem_migrations') is not null and to_regclass('tandem_compatible_migrations') is not null
        as "hasRecords"`;
  if (row && row.major < oldestPostgres) {
    throw new MigrationError(
      `The database is PostgreSQL ${row.version}, and Tandem needs PostgreSQL ${oldestPostgres} or newer. Upgrade the database server.`,
    );
  }
  return { hasRecords: row?.hasRecords ?? false };
}

async function readRelease(folder: string): Promise<Release> {
  const journalFile = path.join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await fs.readFile(journalFile, 'utf8')) as { entries: { idx: number; tag: string }[] };
  const ordered = journal.entries.toSorted((a, b) => a.idx - b.idx);
  const migrations = await Promise.all(
    ordered.map(async ({ tag }) => {
      const raw = await fs.readFile(path.join(folder, `${tag}.sql`), 'utf8');
      const text = raw.replaceAll('\r\n', '\n'); // git may check files out with either line end
      const statements = text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== '');
      return { tag, hash: createHash('sha256').update(text).digest('hex'), statements };
    }),
  );
  const previous = await fs.readFile(path.join(folder, 'previous-release.json'), 'utf8').catch(() => '{}');
  const { lastMigration = null } = JSON.parse(previous) as { lastMigration?: string };
  return { migrations, runsWith: lastMigration };
}

/** The migrations that the database has not seen. @throws MigrationError */
async function missingOf(connection: postgres.ReservedSql, { migrations }: Release): Promise<Migration[]> {
  const applied = await connection<Applied[]>`
    select tag, hash, null as "runsWith" from tandem_migrations
    union all select tag, hash, runs_with from tandem_compatible_migrations order by 1`;
  check(applied, migrations);
  const seen = new Set(applied.map(({ tag }) => tag));
  return migrations.filter(({ tag }) => !seen.has(tag));
}

async function applyMissing(connection: postgres.ReservedSql, release: Release, onWait: OnWait): Promise<string[]> {
  await createRecords(connection);
  const missing = await missingOf(connection, release);
  const onCitus = missing.length > 0 && (await isDistributed(connection));
  if (onCitus) await prepareSession(connection);
  for (const migration of missing) {
    const once = () => apply(connection, migration, release.runsWith, onCitus);
    await repeatUntilUnlocked(connection, migration, onWait, once);
  }
  return missing.map(({ tag }) => tag);
}

async function createRecords(connection: postgres.ReservedSql): Promise<void> {
  // Checked first because "if not exists" sends a notice each time.
  const [found] = await connection<{ strict: boolean; compatible: boolean }[]>`
    select to_regclass('tandem_migrations') is not null as strict,
      to_regclass('tandem_compatible_migrations') is not null as compatible`;
  if (!found?.strict) {
    await connection`
      create table tandem_migrations (
        tag text primary key,
        hash text not null,
        applied_at timestamptz not null default now()
      )`;
  }
  if (!found?.compatible) {
    await connection`
      create table tandem_compatible_migrations (
        tag text primary key,
        hash text not null,
        runs_with text,
        applied_at timestamptz not null default now()
      )`;
  }
}

/** @throws MigrationError */
function check(applied: readonly Applied[], migrations: Migration[]): void {
  const known = new Map(migrations.map(({ tag, hash }) => [tag, hash]));
  const ahead = applied.filter(({ tag, runsWith }) => !known.has(tag) && !(runsWith !== null && known.has(runsWith)));
  if (ahead.length > 0) {
    const tags = ahead.map(({ tag }) => tag).join(', ');
    throw new MigrationError(
      `The database is ahead of this version of Tandem: it has the migrations ${tags}, which this code does not know. ` +
        'Start the newer version, or restore a backup made before the upgrade.',
    );
  }
  const changed = applied.filter(({ tag, hash }) => known.has(tag) && known.get(tag) !== hash);
  if (changed.length > 0) {
    throw new MigrationError(
      `These migrations were applied to the database and their files have changed since: ${changed.map(({ tag }) => tag).join(', ')}. ` +
        'Restore the files and put the change into a new migration (npm run db:generate).',
    );
  }
}

async function apply(
  connection: postgres.ReservedSql,
  { tag, hash, statements }: Migration,
  runsWith: string | null,
  onCitus: boolean,
): Promise<void> {
  const ahead = onCitus ? [] : statements;
  const built = await buildIndexesAhead(connection, ahead).catch((cause: Error) => {
    throw new MigrationError(`The indexes of migration ${tag} could not be built: ${cause.message}`, { cause });
  });
  await connection.unsafe(beginWithShortWaits);
  let done = 0;
  try {
    for (const statement of statements) {
      if (!built.has(statement)) await connection.unsafe(statement);
      if (onCitus) await placeMade(connection, statement);
      done++;
    }
    if (onCitus) await replaceRefused(connection);
    await (tag <= lastStrict
      ? connection`insert into tandem_migrations (tag, hash) values (${tag}, ${hash})`
      : connection`insert into tandem_compatible_migrations (tag, hash, runs_with) values (${tag}, ${hash}, ${runsWith})`);
    await connection.unsafe('commit');
  } catch (cause) {
    if (!isLost(cause)) await connection.unsafe('rollback').catch(() => undefined);
    throw new MigrationError(
      `Migration ${tag} failed at statement ${done + 1} of ${statements.length} and was rolled back: ${(cause as Error).message}`,
      { cause },
    );
  }
}
