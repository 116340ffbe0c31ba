import { readFile } from 'node:fs/promises';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import * as schema from '../../db/schema/index.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';

const test = suite('the live catalogue');

/** Tables that belong to no workspace, or are the workspaces themselves. */
const untenanted = [
  'email_verifications',
  'heartbeats',
  'oauth_artifacts',
  'passkeys',
  'password_resets',
  'rate_windows',
  'recent_authentications',
  'recovery_codes',
  'service_secrets',
  'sign_in_attempts',
  'sign_in_challenges',
  'sweeps',
  'tandem_compatible_migrations',
  'tandem_migrations',
  'totp_secrets',
  'users',
  'webauthn_challenges',
  'welcome_links',
  'workspaces',
];

let scratch: ScratchDatabase[];
let live: postgres.Sql;
let described: postgres.Sql;

interface Key {
  table: string;
  name: string;
  columns: string[];
}

interface Reference extends Key {
  target: string;
  targetColumns: string[];
}

test.before(async () => {
  scratch = await Promise.all([createDatabase(), createDatabase()]);
  const [first, second] = scratch.map(({ url }) => postgres(url, { max: 1, onnotice: () => {} }));
  assert.ok(first && second);
  [live, described] = [first, second];
  await migrate(live);
  const empty = generateDrizzleJson({});
  const statements = await generateMigration(empty, generateDrizzleJson(schema, empty.id));
  await described.unsafe('create extension pg_trgm; create extension btree_gin');
  for (const statement of statements) await described.unsafe(statement);
});
test.after(async () => {
  await Promise.all([live.end(), described.end()]);
  await Promise.all(scratch.map((each) => each.drop()));
});

function tenantTables(): Promise<{ name: string }[]> {
  return live`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'workspace_id' and is_nullable = 'NO'`;
}

/** Primary keys, unique constraints and unique indexes; an expression reads as an empty name. */
function uniqueKeys(): Promise<Key[]> {
  return live`select c.relname as table, i.relname as name, array(
      select coalesce(a.attname, '')::text from unnest(x.indkey::int[]) with ordinality k(attnum, place)
        left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum and k.attnum > 0 order by place
    ) as columns
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where x.indisunique and c.relnamespace = 'public'::regnamespace`;
}

function references(): Promise<Reference[]> {
  const names = (relation: string, keys: string) => live`array(
    select a.attname::text from unnest(${live(keys)}) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = ${live(relation)} and a.attnum = k.attnum order by place)`;
  return live`select conrelid::regclass::text as table, conname as name, confrelid::regclass::text as target,
      ${names('conrelid', 'conkey')} as columns, ${names('confrelid', 'confkey')} as "targetColumns"
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;
}

test('every table belongs to a workspace, or is known to belong to none', async () => {
  const all = await live<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const tenants = new Set((await tenantTables()).map(({ name }) => name));
  const rest = all.map(({ name }) => name).filter((name) => !tenants.has(name));
  assert.equal(rest.sort(), untenanted);
  assert.ok(tenants.size >= 7);
});

test('the primary key and every unique key of a tenant table start with workspace_id', async () => {
  const keys = await uniqueKeys();
  for (const { name: table } of await tenantTables()) {
    const own = keys.filter((key) => key.table === table);
    assert.ok(own.length > 0, `${table} has a key`);
    for (const { name, columns } of own) assert.is(columns[0], 'workspace_id', `${table}: ${name}`);
  }
});

test('every reference between tenant tables carries workspace_id at both ends, so no row points into another one', async () => {
  const tenants = new Set((await tenantTables()).map(({ name }) => name));
  const found = await references();
  assert.ok(found.length > 5);
  for (const { table, name, target, columns, targetColumns } of found) {
    assert.ok(tenants.has(table), `${name}: ${table} has a workspace`);
    assert.is(columns[0], 'workspace_id', name);
    assert.is(targetColumns[0], target === 'workspaces' ? 'id' : 'workspace_id', name);
    assert.ok(target === 'workspaces' || tenants.has(target), `${name}: ${target} has a workspace`);
  }
});

test('a tenant table holds workspace_id as a uuid, and no other table has a column of that name', async () => {
  const rows = await live`select table_name, data_type, is_nullable from information_schema.columns
    where table_schema = 'public' and column_name = 'workspace_id'`;
  for (const row of rows) assert.equal([row.data_type, row.is_nullable], ['uuid', 'NO'], row.table_name);
});

/**
 * Everything that makes a schema, in the words of PostgreSQL, so that two databases can be compared. Storage parameters
 * are left out: they are tuning, written by hand at the end of a migration.
 */
async function schemaOf(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select format('column %s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relnamespace = 'public'::regnamespace
    union all select format('index %s', regexp_replace(pg_get_indexdef(indexrelid), ' WITH \\(.*?\\)', '')) from pg_index x join pg_class c on c.oid = x.indrelid
      where c.relnamespace = 'public'::regnamespace
    union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'`;
  return rows
    .map(({ line }) => line)
    .filter((line) => !/\btandem_(compatible_)?migrations/.test(line))
    .sort();
}

test('the migrations make exactly the schema that drizzle describes', async () => {
  const [made, meant] = [await schemaOf(live), await schemaOf(described)];
  assert.ok(meant.length > 80);
  assert.equal(
    { missing: meant.filter((line) => !made.includes(line)), surplus: made.filter((line) => !meant.includes(line)) },
    { missing: [], surplus: [] },
  );
  const tables = Object.values(schema).filter((each) => is(each, PgTable));
  assert.is(tables.length, new Set(made.map((line) => /^column (\w+)/.exec(line)?.[1]).filter(Boolean)).size);
});

test('the schema has no change that no migration makes', async () => {
  const { entries } = JSON.parse(await readFile('db/migrations/meta/_journal.json', 'utf8'));
  const number = String(entries.at(-1).idx).padStart(4, '0');
  const last = JSON.parse(await readFile(`db/migrations/meta/${number}_snapshot.json`, 'utf8'));
  assert.equal(await generateMigration(last, generateDrizzleJson(schema, last.id)), [], 'npm run db:generate');
});

test('only the counters of the gate are unlogged', async () => {
  const rows = await live<{ name: string }[]>`select relname as name from pg_class
    where relkind = 'r' and relpersistence = 'u' and relnamespace = 'public'::regnamespace`;
  assert.equal([...rows], [{ name: 'rate_windows' }]);
});

test.run();
