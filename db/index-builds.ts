import type postgres from 'postgres';
import { errorCode, isConnectionLoss } from './errors.ts';

/** A statement of a migration that makes an index. */
interface IndexBuild {
  statement: string;
  index: string;
  table: string;
}

/**
 * Rows of a table, by the estimate of PostgreSQL, from which on others go on writing to it while its index is built.
 */
const manyRows = 10_000;

/** SQLSTATEs of what a migration may make before it makes the index: a column, a function, a type. */
const notThereYet = /^42/;

const createIndex = /^((?:\s|--.*\n)*create (?:unique )?index) "(\w+)" on "(\w+)"/i;

const dropIndex = /drop index (?:if exists )?"(\w+)"/gi;

/** The indexes that a migration makes, without those that take the name of one that it drops. */
function buildsOf(statements: readonly string[]): IndexBuild[] {
  const dropped = new Set(
    statements.flatMap((statement) => [...statement.matchAll(dropIndex)].map(([, name]) => name)),
  );
  return statements.flatMap((statement) => {
    const [, , index, table] = createIndex.exec(statement) ?? [];
    return index === undefined || table === undefined || dropped.has(index) ? [] : [{ statement, index, table }];
  });
}

/**
 * The builds of indexes on tables that have many rows, and those of which something is left: what a build counts may
 * have made the estimate smaller.
 */
async function aheadOf(connection: postgres.ReservedSql, builds: readonly IndexBuild[]): Promise<IndexBuild[]> {
  if (builds.length === 0) return [];
  const [tables, indexes] = [builds.map(({ table }) => table), builds.map(({ index }) => index)];
  const rows = await connection<{ name: string }[]>`
    select relname as name from pg_class where pg_table_is_visible(oid) and (relkind = 'i' and relname = any(${indexes})
      or relkind = 'r' and relname = any(${tables}) and reltuples >= ${manyRows})`;
  const found = new Set(rows.map(({ name }) => name));
  return builds.filter(({ table, index }) => found.has(table) || found.has(index));
}

/**
 * Whether the table has the index. One whose build was interrupted is of no use, but each write maintains it: `broken`.
 */
async function stateOf(connection: postgres.ReservedSql, { index, table }: IndexBuild) {
  const [found] = await connection<{ isValid: boolean }[]>`
    select indisvalid as "isValid" from pg_index
    where indexrelid = to_regclass(quote_ident(${index})) and indrelid = to_regclass(quote_ident(${table}))`;
  if (!found) return 'absent';
  return found.isValid ? 'valid' : 'broken';
}

async function dropBroken(connection: postgres.ReservedSql, build: IndexBuild): Promise<void> {
  if ((await stateOf(connection, build)) !== 'broken') return;
  await connection.unsafe(`drop index concurrently "${build.index}"`);
}

/**
 * Builds the indexes of a migration on tables that have many rows before the migration, while others write to these
 * tables (`CREATE INDEX CONCURRENTLY`, which no transaction may contain; PostgreSQL waits for transactions that are
 * open). What cannot be built yet, as an index of a column that the migration adds, is left to the migration. An index
 * whose build was interrupted is built again, and one that is there is kept. Returns the statements of which nothing is
 * left to do.
 * @throws the error of PostgreSQL.
 */
export async function buildIndexesAhead(
  connection: postgres.ReservedSql,
  statements: readonly string[],
): Promise<ReadonlySet<string>> {
  const built = new Set<string>();
  for (const build of await aheadOf(connection, buildsOf(statements))) {
    await dropBroken(connection, build);
    if ((await stateOf(connection, build)) === 'absent') {
      const concurrently = build.statement.replace(createIndex, `$1 concurrently "$2" on "$3"`);
      await connection.unsafe(concurrently).catch(async (error: unknown) => {
        if (isConnectionLoss(error)) throw error;
        await dropBroken(connection, build);
        if (!notThereYet.test(errorCode(error) ?? '')) throw error;
      });
    }
    if ((await stateOf(connection, build)) === 'valid') built.add(build.statement);
  }
  return built;
}
