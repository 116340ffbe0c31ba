import { rm } from 'node:fs/promises';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { createDatabase } from '../support/scratch.ts';

const test = suite('the indexes of searches');

/** Indexes that later migrations have replaced. */
const replaced: Record<string, string> = { todo_search_trigrams: 'todo_search_texts_0' };

/** The limit of the pending list of each GIN index in kB; null is that of the server, 4096. */
async function limitsOf(sql: postgres.Sql): Promise<Map<string, number | null>> {
  const rows = await sql<{ name: string; limit: number | null }[]>`
    select c.relname as name, (
        select option_value::int from pg_options_to_table(c.reloptions) where option_name = 'gin_pending_list_limit'
      ) as limit
    from pg_class c join pg_am a on a.oid = c.relam
    where c.relkind in ('i', 'I') and a.amname = 'gin' and c.relnamespace = 'public'::regnamespace`;
  return new Map(rows.map(({ name, limit }) => [name, limit]));
}

test('of every GIN index the pending list is short, also in a database that had them before', async () => {
  const [database, folder] = [await createDatabase(), await migrationsBefore('ALTER INDEX "captures_tags" SET')];
  const sql = postgres(database.url, { max: 2, onnotice: () => {} });
  try {
    await migrate(sql, folder);
    const before = await limitsOf(sql);
    assert.is(before.get('captures_tags'), null);
    await migrate(sql);
    const after = await limitsOf(sql);
    assert.ok([...before.keys()].every((name) => after.has(replaced[name] ?? name)));
    assert.equal(
      [...after].filter(([, limit]) => limit !== 256),
      [],
    );
  } finally {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true });
  }
});

test.run();
