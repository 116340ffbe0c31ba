import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import {
  maxPrepared,
  maxPreparedOfParts,
  minExecutions,
  PreparedTexts,
  preparedTexts,
} from '../../db/prepared-texts.ts';
import { inSearchPart, searchParts } from '../../db/schema/columns.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';

const test = suite('prepared statements');
let scratch: ScratchDatabase;
let db: Database;

test.before(async () => {
  // Other tests in this process have chosen texts.
  preparedTexts.chooseAnew();
  scratch = await createDatabase();
  db = connect(scratch.url, { poolSize: 1 });
});
test.after(async () => {
  await db.close(1);
  await scratch.drop();
});

const countPrepared = `select count(*)::int as count from pg_prepared_statements where statement ~ 'as one$'`;

test('a connection has prepared what is executed repeatedly, and never more than a bounded number of texts', async () => {
  const execute = async () => assert.equal(await db.rows('select $1::text as one', ['1']), [{ one: '1' }]);
  const prepared = async () => (await db.rows<{ count: number }>(countPrepared, []))[0]?.count;
  for (let turn = 1; turn < minExecutions; turn++) await execute();
  assert.is(await prepared(), 0);
  await execute();
  assert.is(await prepared(), 1);
  await execute();
  for (let each = 0; each < maxPrepared + 100; each++) {
    for (let turn = 0; turn < minExecutions; turn++) await db.rows(`select ${each} + $1::int as one`, [1]);
  }
  const count = await prepared();
  assert.ok(count !== undefined && count > maxPrepared / 2 && count <= maxPrepared, String(count));
});

test('texts in use are chosen anew after a while', () => {
  const texts = new PreparedTexts(0);
  const repeat = (text: string, now: number) => {
    for (let turn = 1; turn < minExecutions; turn++) assert.not(texts.execute(text, now), text);
    return texts.execute(text, now);
  };
  for (let each = 0; each < maxPrepared; each++) assert.ok(repeat(`old ${each}`, 0));
  assert.not(repeat('new', 0));
  assert.ok(texts.execute('old 0', 1));
  const later = 60 * 60_000;
  assert.ok(repeat('new', later));
  assert.ok(texts.execute('new', later));
});

test('searches, whose texts exist once for each part of the workspaces, leave places to others', () => {
  const texts = new PreparedTexts(0);
  const repeat = (text: string) => Array.from({ length: minExecutions }, () => texts.execute(text, 0)).at(-1);
  let searches = 0;
  for (let part = 0; part < searchParts; part++) {
    for (let each = 0; each < 50; each++) {
      const of = inSearchPart(
        's.workspace_id',
        `00000000-0000-7000-8000-0000000000${part.toString(16).padStart(2, '0')}`,
      );
      if (repeat(`select ${each} from todo_search s where s.workspace_id = $1 and ${of}`)) searches++;
    }
  }
  assert.is(searches, maxPreparedOfParts);
  for (let each = 0; each < maxPrepared; each++) assert.ok(repeat(`select ${each}`), String(each));
  assert.not(repeat('one too many'));
});

test('texts that are executed once are not kept without end', () => {
  const texts = new PreparedTexts(0);
  for (let each = 0; each < 100_000; each++) assert.not(texts.execute(`text ${each}`, 0));
  for (let turn = 1; turn < minExecutions; turn++) texts.execute('again', 0);
  assert.ok(texts.execute('again', 0));
});

test.run();
