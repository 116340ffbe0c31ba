import { readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { type MigrationStage, startMigrationStage } from '../support/migrations.ts';
import { until } from '../support/until.ts';

/* A migration that makes an index of a large table keeps nobody from writing to it. */

const test = suite('indexes that are built ahead');

let stage: MigrationStage;
let sql: postgres.Sql;
let url: string;

const small = { '0000_notes': 'create table notes (id int primary key, body text)' };
const indexed = {
  ...small,
  '0001_find':
    '-- To find notes.\nCREATE INDEX "notes_body" ON "notes" USING btree ("body");\n--> statement-breakpoint\nselect 1',
};

/** Whether the index of the notes can be used, by name; empty where there is none. */
const indexes = () =>
  sql`select indexrelid::regclass::text as name, indisvalid as valid from pg_index
    where indrelid = 'notes'::regclass and not indisprimary`;
const found = async () => (await indexes()).map(({ name, valid }) => `${name} ${valid}`);

test.before(async () => {
  stage = await startMigrationStage();
});
test.after(() => stage.close());

test.before.each(async () => {
  url = await stage.freshDatabase();
  sql = stage.pool(url);
  await migrate(sql, await stage.folder(small));
  await sql`insert into notes select n, 'note ' || n from generate_series(1, 20000) n`;
  await sql`analyze notes`;
});

test('others write while an index is built, and it waits for what they have begun', async () => {
  const dir = await stage.folder(indexed);
  const writer = await stage.pool(url, { lock_timeout: '5000' }).reserve();
  const other = stage.pool(url, { lock_timeout: '5000' });
  await writer.unsafe(`begin; insert into notes values (20001, 'begun before')`);
  const migrating = migrate(sql, dir);
  await until(async () => {
    const waiting = await other`select from pg_stat_activity
      where query ilike '%create index concurrently%' and wait_event_type = 'Lock' and pid <> pg_backend_pid()
        and datname = current_database()`;
    return waiting.length === 1;
  });
  await other`insert into notes values (20002, 'written meanwhile')`;
  await writer.unsafe('commit');
  writer.release();
  assert.equal(await migrating, ['0001_find']);
  assert.equal(await found(), ['notes_body true']);
});

test('three that migrate together build it once', async () => {
  const dir = await stage.folder(indexed);
  const applied = await Promise.all([1, 2, 3].map(() => migrate(stage.pool(url), dir)));
  assert.equal(applied.flat(), ['0001_find']);
  assert.equal(await found(), ['notes_body true']);
});

test('what an interrupted build left is built again', async () => {
  const begun = await stage.pool(url).reserve();
  await begun.unsafe(`begin; insert into notes values (20001, 'open')`);
  const builder = stage.pool(url, { lock_timeout: '200' });
  const error = await builder`create index concurrently notes_body on notes (body)`.catch((thrown: Error) => thrown);
  assert.match((error as Error).message, /lock timeout/);
  await begun.unsafe('commit');
  begun.release();
  assert.equal(await found(), ['notes_body false']);
  // The build may have counted fewer rows than were estimated.
  await sql`update pg_class set reltuples = 100 where relname = 'notes'`;
  assert.equal(await migrate(sql, await stage.folder(indexed)), ['0001_find']);
  assert.equal(await found(), ['notes_body true']);
});

test('an index that an operator made before, or a process that ended after it, is kept', async () => {
  await sql`create index concurrently notes_body on notes (body)`;
  const [before] = await sql`select 'notes_body'::regclass::oid as oid`;
  assert.equal(await migrate(sql, await stage.folder(indexed)), ['0001_find']);
  const [after] = await sql`select 'notes_body'::regclass::oid as oid`;
  assert.equal(after, before);
});

test('an index of a column that the migration adds is made by the migration', async () => {
  const text =
    'alter table notes add column due date;\n--> statement-breakpoint\ncreate index "notes_due" on "notes" ("due")';
  assert.equal(await migrate(sql, await stage.folder({ ...small, '0001_due': text })), ['0001_due']);
  assert.equal(await found(), ['notes_due true']);
});

test('an index that takes the name of one that the migration drops is made by the migration', async () => {
  await sql`create index notes_body on notes (body)`;
  const text =
    'drop index "notes_body";\n--> statement-breakpoint\ncreate index "notes_body" on "notes" using btree ("body", "id")';
  assert.equal(await migrate(sql, await stage.folder({ ...small, '0001_again': text })), ['0001_again']);
  const [made] = await sql`select pg_get_indexdef('notes_body'::regclass) as made`;
  assert.match(made?.made, /\(body, id\)/);
});

test('all migrations of the service make the same indexes with many rows as with none', async () => {
  const own = new URL('../../db/migrations/', import.meta.url);
  const { entries } = JSON.parse(await readFile(new URL('meta/_journal.json', own), 'utf8'));
  const files: Record<string, string> = {};
  for (const { tag } of entries) files[tag] = await readFile(new URL(`${tag}.sql`, own), 'utf8');
  const first = Object.fromEntries(Object.entries(files).filter(([tag]) => tag < '0018'));
  const made = async (rows: number) => {
    const to = stage.pool(await stage.freshDatabase());
    await migrate(to, await stage.folder(first));
    // The estimates alone decide.
    await to`update pg_class set reltuples = ${rows} where relnamespace = 'public'::regnamespace and relkind = 'r'`;
    await migrate(to, await stage.folder(files, '0017'));
    return to`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made, indisvalid as valid
      from pg_index join pg_class c on c.oid = indrelid where relnamespace = 'public'::regnamespace order by 1`;
  };
  assert.equal([...(await made(20_000))], [...(await made(0))]);
});

test('an index that the rows do not allow fails the migration, and leaves nothing', async () => {
  await sql`update notes set body = 'same' where id < 3`;
  const text = 'create unique index "notes_body" on "notes" ("body")';
  const error = await migrate(sql, await stage.folder({ ...small, '0001_one': text })).catch((thrown: Error) => thrown);
  assert.match(
    (error as Error).message,
    /The indexes of migration 0001_one could not be built: could not create unique index/,
  );
  assert.equal(await found(), []);
});

test.run();
