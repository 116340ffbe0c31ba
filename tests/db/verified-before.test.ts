import { rm } from 'node:fs/promises';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { createDatabase } from '../support/scratch.ts';

const test = suite('accounts from before addresses were verified');

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
