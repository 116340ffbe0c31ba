import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database, type Db } from '../../db/client.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until, within } from '../support/until.ts';

const test = suite('transactions whose connection is lost');
let scratch: ScratchDatabase;
let passage: Passage;
let db: Database;
let direct: Database;
const unwatch = surviveLostConnections({ warn: () => {} });

test.before(async () => {
  scratch = await createDatabase();
  passage = await openPassage(scratch.url);
  db = connect(passage.url, { poolSize: 2 });
  direct = connect(scratch.url, { poolSize: 2 });
  await direct.rows('create table notes (text text not null)', []);
});
test.after.each(() => passage.mend());
test.after(async () => {
  await Promise.all([db.close(1), direct.close(1)]);
  await passage.close();
  await scratch.drop();
});

const insert = 'insert into notes (text) values ($1)';
const notes = async () => (await direct.rows<{ text: string }>('select text from notes', [])).map(({ text }) => text);

/** Loses every connection, and has the pool make new ones. */
async function blink() {
  await passage.cut();
  await sleep(50);
  await passage.mend();
  const isAlive = () =>
    db.rows('select 1', []).then(
      () => true,
      () => false,
    );
  await until(isAlive);
}

/** Waits until a connection runs a statement like `query`, or ran it last and is in the given state. */
function untilRuns(query: string, state = 'active'): Promise<void> {
  const text = `select 1 from pg_stat_activity
    where pid <> pg_backend_pid() and datname = current_database() and state = $1 and query like $2`;
  return until(async () => (await direct.rows(text, [state, query])).length > 0);
}

/** How a promise ended: the code of its error, or `done`. */
const ending = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code ?? error.message,
  );

test('with a statement under way, they reject, and nothing of them stays', async () => {
  const outcome = ending(
    db.transaction(async (tx) => {
      await tx.rows(insert, ['before']);
      await tx.rows('select pg_sleep(30)', []);
    }),
  );
  await untilRuns('select pg_sleep(30)');
  await blink();
  assert.match(await outcome, /CONNECTION_|ECONN/);
  assert.equal(await notes(), []);
});

test('between two statements, they reject at once, and what is still sent is refused', async () => {
  let later: string[] = [];
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let worked = Promise.resolve();
  const outcome = ending(
    db.transaction((tx) => {
      const work = async () => {
        await tx.rows(insert, ['before']);
        await resumed;
        later = [
          await ending(tx.rows(insert, ['after'])),
          await ending(tx.transaction((inner) => inner.rows(insert, ['nested']))),
          await ending(tx.orm.execute("insert into notes (text) values ('drizzle')")),
        ];
      };
      worked = work();
      return worked;
    }),
  );
  await untilRuns('insert into notes%', 'idle in transaction');
  await blink();
  assert.match(await outcome, /CONNECTION_|ECONN/);
  resume();
  await worked;
  assert.is(later.length, 3);
  for (const each of later) assert.is.not(each, 'done');
  assert.equal(await notes(), []);
});

test('in a savepoint, both reject', async () => {
  let inner = '';
  const outcome = ending(
    db.transaction(async (tx) => {
      await tx.rows(insert, ['before']);
      inner = await ending(tx.transaction((nested) => nested.rows('select pg_sleep(31)', [])));
      await tx.rows(insert, ['after']);
    }),
  );
  await untilRuns('select pg_sleep(31)');
  await blink();
  assert.match(await outcome, /CONNECTION_|ECONN/);
  assert.match(inner, /CONNECTION_|ECONN/);
  assert.equal(await notes(), []);
});

test('ended by the server, they reject', async () => {
  let pid = 0;
  const outcome = ending(
    db.transaction(async (tx) => {
      const [row] = await tx.rows<{ pid: number }>('select pg_backend_pid() as pid', []);
      pid = row?.pid ?? 0;
      await tx.rows('select pg_sleep(32)', []);
    }),
  );
  await untilRuns('select pg_sleep(32)');
  await direct.rows('select pg_terminate_backend($1)', [pid]);
  assert.match(await outcome, /57P01|CONNECTION_/);
  assert.is(await ending(db.transaction((tx) => tx.rows('select 1', []))), 'done');
});

test('under many at once, all settle, and the pool is whole afterwards', async () => {
  let going = true;
  const work = async (tx: Db) => {
    await tx.rows('select 1', []);
    await tx.rows('select 2', []);
  };
  const all = Promise.all(
    Array.from({ length: 16 }, async () => {
      while (going) await ending(db.transaction(work));
    }),
  );
  for (let round = 0; round < 5; round++) {
    await sleep(200);
    await blink();
  }
  going = false;
  await within(() => 'all of them settle', all);
  assert.equal(await Promise.all(Array.from({ length: 8 }, () => ending(db.transaction(work)))), Array(8).fill('done'));
});

test.run();

const kept = suite('transactions');

kept.before(async () => {
  scratch = await createDatabase();
  db = connect(scratch.url, { poolSize: 2 });
  direct = db;
  await db.rows('create table notes (text text not null)', []);
});
kept.after(async () => {
  unwatch();
  await db.close(1);
  await scratch.drop();
});

kept('reject when a statement failed, though its error was swallowed', async () => {
  const outcome = db.transaction(async (tx) => {
    await tx.rows(insert, ['one']);
    await ending(tx.rows(insert, [null]));
  });
  assert.is(await ending(outcome), '23502');
  assert.equal(await notes(), []);
});

kept('go on when a savepoint failed', async () => {
  await db.transaction(async (tx) => {
    await tx.rows(insert, ['one']);
    assert.is(await ending(tx.transaction((inner) => inner.rows(insert, [null]))), '23502');
    await tx.transaction((inner) => inner.rows(insert, ['two']));
  });
  assert.equal(await notes(), ['one', 'two']);
});

kept('refuse what is sent after they are over', async () => {
  let escaped: Db | undefined;
  await db.transaction(async (tx) => {
    escaped = tx;
  });
  assert.is(await ending(escaped?.rows(insert, ['late']) ?? Promise.resolve()), 'This transaction is over');
  assert.not.ok((await notes()).includes('late'));
});

kept.run();
