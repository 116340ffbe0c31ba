import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWire } from '../../bench/agents/wire.ts';
import { connect, type Database, type Db } from '../../db/client.ts';
import { isInTransaction } from '../../db/transaction.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('statements that are sent with the BEGIN and the COMMIT of their transaction');
let scratch: ScratchDatabase;
let passage: Passage;
let db: Database;
let direct: Database;
const unwatch = surviveLostConnections({ warn: () => {} });

const insert = 'insert into notes (text) values ($1)';
const guarded = `insert into notes (text) select $1 where ${isInTransaction} returning text`;
const notes = async () =>
  (await direct.rows<{ text: string }>('select text from notes order by text', [])).map(({ text }) => text);
const pidOf = async (of: Db) => (await of.rows<{ pid: number }>('select pg_backend_pid() as pid', []))[0]?.pid;
const ending = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code ?? error.message,
  );
const first = (text: string) => ({ text: guarded, values: [text] });

test.before(async () => {
  scratch = await createDatabase();
  passage = await openPassage(scratch.url);
  db = connect(passage.url, { poolSize: 2 });
  direct = connect(scratch.url, { poolSize: 2 });
  await direct.rows('create table notes (text text not null unique deferrable initially deferred)', []);
});
test.before.each(async () => {
  await direct.rows('delete from notes', []);
});
test.after.each(() => passage.mend());
test.after(async () => {
  unwatch();
  await Promise.all([db.close(1), direct.close(1)]);
  await passage.close();
  await scratch.drop();
});

test('the first one is part of it, and the work gets its rows', async () => {
  const rows = await db.transaction(async (tx, opened: Promise<{ text: string }[]>) => {
    const found = await opened;
    await tx.rows(insert, ['b']);
    return found;
  }, first('a'));
  assert.equal(rows, [{ text: 'a' }]);
  assert.equal(await notes(), ['a', 'b']);
  const failed = db.transaction(async (_, opened) => {
    await opened;
    throw new Error('no');
  }, first('c'));
  assert.is(await ending(failed), 'no');
  assert.equal(await notes(), ['a', 'b']);
});

test('they take three writes to the socket, and four with Citus, where BEGIN is a statement of its own', async () => {
  const wire = await openWire(scratch.url);
  const counted = connect(wire.url, { poolSize: 1 });
  // One with parameters that is not prepared yet is sent in two pieces.
  const run = () =>
    counted.transaction(
      async (tx, opened) => {
        await opened;
        await tx.rows('select 1', []);
        tx.rows(`insert into notes (text) values ('b')`, []).catch(() => {});
      },
      { text: guarded.replace('$1', `'a'`), values: [] },
    );
  try {
    await run();
    await direct.rows('delete from notes', []);
    const { statements, sends } = wire;
    await run();
    assert.equal([wire.statements - statements, wire.sends - sends], [5, counted.engine === 'citus' ? 4 : 3]);
    assert.equal(await notes(), ['a', 'b']);
  } finally {
    await counted.close(1);
    await wire.close();
  }
});

test('the first one does nothing on its own when the BEGIN failed, and its connection is not used again', async () => {
  const before = await pidOf(db);
  let hasWorked = false;
  passage.meet('begin deferrable', (chunk) => {
    chunk.write('begin deferrabel', chunk.indexOf('begin deferrable'));
    return chunk;
  });
  const outcome = db.transaction(async () => {
    hasWorked = true;
  }, first('alone'));
  assert.is(await ending(outcome), '42601');
  assert.not.ok(hasWorked);
  assert.is.not(await pidOf(db), before);
  assert.equal(await notes(), []);
  assert.equal(await db.rows(guarded, ['alone']), [], 'outside of any transaction');
});

test('a failure of the first one fails the transaction, also when the work swallows it', async () => {
  const before = await pidOf(db);
  const swallowed = db.transaction(
    async (tx, opened) => {
      await opened.catch(() => {});
      await tx.rows(insert, ['after']).catch(() => {});
    },
    { text: insert, values: [null] },
  );
  assert.is(await ending(swallowed), '23502');
  assert.equal(await notes(), []);
  assert.is(await pidOf(db), before, 'it was rolled back, and its connection is used again');
});

test('a failure of one that is not waited for fails the transaction', async () => {
  const before = await pidOf(db);
  const outcome = db.transaction(async (tx) => {
    await tx.rows(insert, ['kept?']);
    tx.rows(insert, [null]).catch(() => {});
  });
  assert.is(await ending(outcome), '23502');
  assert.equal(await notes(), []);
  assert.is(await pidOf(db), before, 'it was rolled back, and its connection is used again');
});

test('a COMMIT that fails fails the transaction', async () => {
  const outcome = db.transaction(async (tx) => {
    await tx.rows(insert, ['twice']);
    tx.rows(insert, ['twice']).catch(() => {});
  });
  assert.is(await ending(outcome), '23505');
  assert.equal(await notes(), []);
  assert.is(await ending(db.transaction((tx) => tx.rows(insert, ['once']))), 'done');
});

test('a COMMIT that is not answered fails the transaction, whether it was made or not', async () => {
  for (const isPassed of [false, true]) {
    passage.meet('commit', (chunk) => {
      queueMicrotask(() => passage.stall());
      setTimeout(() => passage.cut(), 100);
      return isPassed ? chunk : undefined;
    });
    const outcome = db.transaction((tx) => tx.rows(insert, [`${isPassed}`]));
    assert.match(await ending(outcome), /CONNECTION_|ECONN/);
    await passage.mend();
  }
  // The server makes it when it gets to it.
  await until(async () => (await notes()).includes('true'));
  assert.equal(await notes(), ['true']);
  assert.is(await ending(db.transaction((tx) => tx.rows(insert, ['again']))), 'done');
});

test.run();
