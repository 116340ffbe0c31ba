import type postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isUnavailable } from '../../db/errors.ts';
import { MigrationError, migrate } from '../../db/migrate.ts';
import { type MigrationStage, startMigrationStage } from '../support/migrations.ts';
import { until } from '../support/until.ts';

const test = suite('migrations');
let stage: MigrationStage;

const files = {
  '0000_notes': 'create table notes (id int primary key);\n--> statement-breakpoint\ninsert into notes values (1);\n',
  '0001_body': 'alter table notes add column body text;\n--> statement-breakpoint\nselect pg_sleep(0.2);\n',
};

async function refusal(migrating: Promise<string[]>): Promise<string> {
  const error = await migrating.then(
    () => assert.unreachable('it migrated'),
    (thrown: unknown) => thrown,
  );
  assert.instance(error, MigrationError);
  return (error as Error).message;
}

test.before(async () => {
  stage = await startMigrationStage();
});
test.after(() => stage.close());

test('migrations are applied in the order of the journal, once', async () => {
  const sql = stage.pool(await stage.freshDatabase());
  const dir = await stage.folder(files);
  assert.equal(await migrate(sql, dir), ['0000_notes', '0001_body']);
  assert.equal(await migrate(sql, dir), []);
  assert.equal([...(await sql`select id, body from notes`)], [{ id: 1, body: null }]);
  const rows =
    await sql`select tag, length(hash) as length, applied_at <= now() as past from tandem_migrations order by tag`;
  assert.equal(
    [...rows],
    [
      { tag: '0000_notes', length: 64, past: true },
      { tag: '0001_body', length: 64, past: true },
    ],
  );
  assert.equal(await migrate(sql, await stage.folder({ ...files, '0002_more': 'select 1' })), ['0002_more']);
});

test('of three that migrate together each migration is applied by one, and the others wait longer than their time-outs', async () => {
  const url = await stage.freshDatabase();
  const dir = await stage.folder({ ...files, '0001_body': files['0001_body'].replace('0.2', '1.5') });
  const pools = [1, 2, 3].map(() => stage.pool(url, { lock_timeout: '500', statement_timeout: '1000' }));
  const applied = await Promise.all(pools.map((sql) => migrate(sql, dir)));
  assert.equal(applied.flat().sort(), ['0000_notes', '0001_body']);
  const [row] = await (pools[0] as postgres.Sql)`show lock_timeout`;
  assert.is(row?.lock_timeout, '500ms');
  const locks = await stage.pool(url)`
    select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
  assert.is(locks.length, 0);
});

test('a process that loses its connection while it waits for another ends with that error', async () => {
  const url = await stage.freshDatabase();
  const admin = stage.pool(url);
  const other = await admin.reserve();
  await other`select pg_advisory_lock(${0x7a4d}, 2)`;
  const waiting = migrate(stage.pool(url, { application_name: 'waiter' }), await stage.folder(files)).catch(
    (error: unknown) => error,
  );
  const ended = () => admin`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'waiter' and state = 'active' and query like 'do %'`;
  await until(async () => (await ended()).length > 0);
  const error = await waiting;
  assert.ok(isUnavailable(error), String(error));
  other.release();
});

test('a migration that waits for a table lets others go on, and is repeated until the table is free', async () => {
  const url = await stage.freshDatabase();
  const dump = await stage.pool(url, { application_name: 'dump' }).reserve();
  await migrate(stage.pool(url), await stage.folder({ '0000_notes': files['0000_notes'] }));
  const [held] = await dump`select pg_backend_pid() as pid`;
  await dump.unsafe('begin; select from notes');
  const waits: unknown[] = [];
  const migrating = migrate(stage.pool(url), await stage.folder(files), (wait) => waits.push(wait));
  await until(() => waits.length > 1);
  assert.equal(waits[0], { migration: '0001_body', holders: [{ pid: held?.pid, application: 'dump' }] });
  const reader = stage.pool(url, { lock_timeout: '5000' });
  assert.equal([...(await reader`select id from notes`)], [{ id: 1 }]);
  await dump.unsafe('commit');
  dump.release();
  assert.equal(await migrating, ['0001_body']);
});

test('a failing migration leaves nothing behind, keeps those before it, and can be repaired', async () => {
  const sql = stage.pool(await stage.freshDatabase());
  const broken = 'create table half (id int);\n--> statement-breakpoint\nselect * from nowhere;\n';
  const message = await refusal(migrate(sql, await stage.folder({ ...files, '0002_half': broken })));
  assert.match(message, 'Migration 0002_half failed at statement 2 of 2');
  assert.match(message, 'nowhere');
  const [row] =
    await sql`select to_regclass('half') is null as gone, (select count(*)::int from tandem_migrations) as applied`;
  assert.equal(row, { gone: true, applied: 2 });
  assert.equal(await migrate(sql, await stage.folder({ ...files, '0002_half': 'create table half (id int)' })), [
    '0002_half',
  ]);
});

test('a changed file that was applied is an error, other line ends are none', async () => {
  const sql = stage.pool(await stage.freshDatabase());
  await migrate(sql, await stage.folder(files));
  const windows = Object.fromEntries(Object.entries(files).map(([tag, text]) => [tag, text.replaceAll('\n', '\r\n')]));
  assert.equal(await migrate(sql, await stage.folder(windows)), []);
  const message = await refusal(migrate(sql, await stage.folder({ ...files, '0001_body': 'select 2' })));
  assert.match(message, 'their files have changed since: 0001_body');
});

test('a database ahead of the code is an error', async () => {
  const sql = stage.pool(await stage.freshDatabase());
  await migrate(sql, await stage.folder(files));
  const message = await refusal(migrate(sql, await stage.folder({ '0000_notes': files['0000_notes'] })));
  assert.match(message, 'ahead of this version of Tandem: it has the migrations 0001_body');
});

test('a PostgreSQL that is too old is an error', async () => {
  const url = await stage.freshDatabase();
  await stage
    .pool(url)
    .unsafe(`create schema older; create function older.current_setting(text) returns text language sql
    as $$ select case $1 when 'server_version_num' then '140012' else '14.12' end $$`);
  const old = stage.pool(url, { search_path: 'older, pg_catalog, public' });
  const message = await refusal(migrate(old, await stage.folder(files)));
  assert.is(
    message,
    'The database is PostgreSQL 14.12, and Tandem needs PostgreSQL 15 or newer. Upgrade the database server.',
  );
});

test('a later release declares with which one its database runs; any before that refuses it', async () => {
  const sql = stage.pool(await stage.freshDatabase());
  const later = { '0005_captures': 'select 5', '0006_added': 'select 6', '0007_contracted': 'select 7' };
  const [strict, added] = [later['0005_captures'], later['0006_added']];
  await migrate(sql, await stage.folder({ '0005_captures': strict }));
  await migrate(sql, await stage.folder({ '0005_captures': strict, '0006_added': added }, '0005_captures'));
  assert.equal([...(await sql`select tag from tandem_migrations`)], [{ tag: '0005_captures' }], 'what is read there');
  assert.equal(await migrate(sql, await stage.folder({ '0005_captures': strict })), [], 'compatible');

  await migrate(sql, await stage.folder(later, '0006_added'));
  assert.equal(
    await migrate(sql, await stage.folder({ '0005_captures': strict, '0006_added': added }, '0005_captures')),
    [],
  );
  const message = await refusal(migrate(sql, await stage.folder({ '0005_captures': strict })));
  assert.match(message, 'it has the migrations 0007_contracted, which this code does not know');
  const changed = await refusal(migrate(sql, await stage.folder({ ...later, '0006_added': 'select 2' })));
  assert.match(changed, 'their files have changed since: 0006_added');
});

test.run();
