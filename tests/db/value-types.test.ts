import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { parseArray, serializeArray, valueTypes } from '../../db/value-types.ts';
import { testDatabaseUrl } from '../support/harness.ts';

const test = suite('values of the database');
let database: Database;

test.before(() => {
  database = connect(testDatabaseUrl());
});
test.after(() => database.close(1));

const hostile = ['', ' ', 'NULL', 'null', 'a,b', '{a}', '"', '\\', '\\"', 'a\nb', "'", '{}', '[1:2]={1,2}', 'Zoë 🌍'];

test('arrays of texts come back as they were sent', async () => {
  for (const values of [[], hostile, ...hostile.map((each) => [each])]) {
    const [row] = await database.rows<{ values: unknown }>('select $1::text[] as values', [values]);
    assert.equal(row?.values, values);
  }
});

test('each kind of array is read as its elements are', async () => {
  const id = '0199a5a0-0000-7000-8000-000000000000';
  const cases: [type: string, sent: unknown[], read: unknown[]][] = [
    ['smallint', [1, -2], [1, -2]],
    ['int', [1, null, 3], [1, null, 3]],
    ['bigint', ['9007199254740993', 2], ['9007199254740993', '2']],
    ['uuid', [id], [id]],
    ['boolean', ['t', 'f', null], [true, false, null]],
    ['float8', [1.5, -2], [1.5, -2]],
    ['numeric', ['1.50'], ['1.50']],
    ['date', ['2026-03-01'], ['2026-03-01']],
    ['varchar', ['a'], ['a']],
    ['name', ['a name'], ['a name']],
    ['regclass', ['todos'], ['todos']],
    ['timestamptz', ['2026-03-01T09:00:00.5Z', null], ['2026-03-01T09:00:00.500Z', null]],
  ];
  for (const [type, sent, read] of cases) {
    const [row] = await database.rows<{ values: unknown }>(`select $1::${type}[] as values`, [sent]);
    assert.equal(row?.values, read, type);
  }
});

test('what cannot be an array of one dimension is refused', () => {
  assert.throws(() => parseArray('{{1,2},{3,4}}'), /one dimension/);
  assert.throws(() => parseArray('[2:3]={1,2}'), /one dimension/);
  assert.throws(() => serializeArray(['a', undefined]), /undefined/);
});

async function sources(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => /\.(ts|sql)$/.test(name)).map((name) => join(folder, name));
  return Promise.all(paths.map((path) => readFile(path, 'utf8')));
}

test('every type of array that a statement or a column names is known', async () => {
  const texts = (await Promise.all(['db', 'domain', 'server', 'engine', 'media', 'scripts'].map(sources))).flat();
  const named = texts.flatMap((text) => [...text.matchAll(/::\s*([a-z0-9]+)\[\]/g)].map(([, type]) => type ?? ''));
  const rows = await database.rows<{ oid: number; name: string }>(
    `select t.oid::int as oid, e.typname::text as name from pg_type t join pg_type e on e.oid = t.typelem
     where t.oid in (select unnest($1::text[])::regtype::oid) or t.oid in (
       select a.atttypid from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not a.attisdropped
     ) and t.typcategory = 'A'`,
    [[...new Set(named)].map((name) => `${name}[]`)],
  );
  assert.ok(rows.length >= 7, JSON.stringify(rows));
  const known = new Set(Object.values(valueTypes).flatMap(({ from }) => from));
  assert.equal(
    rows.filter(({ oid }) => !known.has(oid)).map(({ name }) => name),
    [],
  );
});

test.run();
