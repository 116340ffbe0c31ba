import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';

/** The migrations cannot be applied; nothing of the one that failed remains. The message is written for a person. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Migration {
  tag: string;
  hash: string;
  statements: string[];
}

const defaultFolder = fileURLToPath(new URL('./migrations', import.meta.url));
const lockKey = [0x7a4d, 2] as const;

/**
 * Applies db/migrations/*.sql (drizzle-kit's output) that the database has not seen, each in one transaction with its row
 * in `tandem_migrations`; processes that start together wait for one another. Returns the tags applied now. Throws
 * MigrationError for a failing statement, an applied file that changed, and a database ahead of this code.
 */
export async function migrate(sql: postgres.Sql, folder = defaultFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const connection = await sql.reserve();
  try {
    // Waiting for another process is no failure, however long its migration takes.
    await connection.unsafe('set statement_timeout = 0; set lock_timeout = 0');
    await connection`select pg_advisory_lock(${lockKey[0]}, ${lockKey[1]})`;
    return await applyMissing(connection, migrations);
  } finally {
    await restore(connection);
    connection.release();
  }
}

/** Unlocks and resets the session. A connection that broke has lost its locks already. */
async function restore(connection: postgres.ReservedSql): Promise<void> {
  try {
    await connection`select pg_advisory_unlock(${lockKey[0]}, ${lockKey[1]})`;
    await connection.unsafe('reset statement_timeout; reset lock_timeout');
  } catch {}
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const journalFile = path.join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await fs.readFile(journalFile, 'utf8')) as { entries: { idx: number; tag: string }[] };
  const ordered = journal.entries.toSorted((a, b) => a.idx - b.idx);
  return await Promise.all(
    ordered.map(async ({ tag }) => {
      const raw = await fs.readFile(path.join(folder, `${tag}.sql`), 'utf8');
      const text = raw.replaceAll('\r\n', '\n'); // git may check files out with either line end
      const statements = text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== '');
      return { tag, hash: createHash('sha256').update(text).digest('hex'), statements };
    }),
  );
}

async function applyMissing(connection: postgres.ReservedSql, migrations: Migration[]): Promise<string[]> {
  const applied = await readApplied(connection);
  check(applied, migrations);
  const missing = migrations.filter(({ tag }) => !applied.has(tag));
  for (const migration of missing) await apply(connection, migration);
  return missing.map(({ tag }) => tag);
}

async function readApplied(connection: postgres.ReservedSql): Promise<Map<string, string>> {
  // Asked first because "if not exists" sends a notice each time.
  const [table] = await connection<{ found: boolean }[]>`select to_regclass('tandem_migrations') is not null as found`;
  if (!table?.found) {
    await connection`
      create table tandem_migrations (
        tag text primary key,
        hash text not null,
        applied_at timestamptz not null default now()
      )`;
  }
  const rows = await connection<{ tag: string; hash: string }[]>`select tag, hash from tandem_migrations`;
  return new Map(rows.map(({ tag, hash }) => [tag, hash]));
}

function check(applied: Map<string, string>, migrations: Migration[]): void {
  const known = new Map(migrations.map(({ tag, hash }) => [tag, hash]));
  const unknown = [...applied.keys()].filter((tag) => !known.has(tag));
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database is ahead of this version of Tandem: it has the migrations ${unknown.join(', ')}, which this code does not know. ` +
        'Start the newer version, or restore a backup made before the upgrade.',
    );
  }
  const changed = [...applied].filter(([tag, hash]) => known.get(tag) !== hash).map(([tag]) => tag);
  if (changed.length > 0) {
    throw new MigrationError(
      `These migrations were applied to the database and their files have changed since: ${changed.join(', ')}. ` +
        'Restore the files and put the change into a new migration (npm run db:generate).',
    );
  }
}

async function apply(connection: postgres.ReservedSql, { tag, hash, statements }: Migration): Promise<void> {
  await connection.unsafe('begin');
  let done = 0;
  try {
    for (const statement of statements) {
      await connection.unsafe(statement);
      done++;
    }
    await connection`insert into tandem_migrations (tag, hash) values (${tag}, ${hash})`;
    await connection.unsafe('commit');
  } catch (cause) {
    await connection.unsafe('rollback').catch(() => undefined);
    throw new MigrationError(
      `Migration ${tag} failed at statement ${done + 1} of ${statements.length} and was rolled back: ${(cause as Error).message}`,
      { cause },
    );
  }
}
