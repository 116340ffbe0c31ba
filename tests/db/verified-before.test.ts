import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { createDatabase } from '../support/scratch.ts';

const test = suite('accounts from before addresses were verified');

/** The migrations before the first one whose text has `word`, in a folder of their own. */
async function migrationsBefore(word: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-before-'));
  await cp('db/migrations', folder, { recursive: true });
  const journal = join(folder, 'meta', '_journal.json');
  const { entries } = JSON.parse(await readFile(journal, 'utf8')) as { entries: { tag: string }[] };
  const texts = await Promise.all(entries.map(({ tag }) => readFile(join(folder, `${tag}.sql`), 'utf8')));
  const first = texts.findIndex((text) => text.includes(word));
  assert.ok(first > 0);
  await writeFile(journal, JSON.stringify({ entries: entries.slice(0, first) }));
  return folder;
}

test('people who exist before the migration count as verified, later ones do not', async () => {
  const [database, folder] = [await createDatabase(), await migrationsBefore('email_verified_at')];
  const sql = postgres(database.url, { max: 2, onnotice: () => {} });
  const add = (email: string) =>
    sql`insert into users (id, email, name, password_hash) values (gen_random_uuid(), ${email}, 'Ada', 'none')`;
  await migrate(sql, folder);
  await add('before@example.com');
  await migrate(sql);
  await add('after@example.com');
  const rows = await sql`select email, email_verified_at is not null as verified from users order by email desc`;
  assert.equal(
    [...rows],
    [
      { email: 'before@example.com', verified: true },
      { email: 'after@example.com', verified: false },
    ],
  );
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

test.run();
