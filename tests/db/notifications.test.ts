import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWire, type Wire } from '../../bench/agents/wire.ts';
import { connect, type Database, type Db } from '../../db/client.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('notifications of what was committed');
let scratch: ScratchDatabase;
let wire: Wire;
let db: Database;
let listener: Database;
const received: string[] = [];

const insert = 'insert into notes (text) values ($1)';
const failing = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.message,
  );

/** What has arrived, with all that was sent before. */
async function arrived(): Promise<string[]> {
  db.notify('news', 'end');
  await until(() => received.at(-1) === 'end');
  return received.splice(0).slice(0, -1);
}

test.before(async () => {
  scratch = await createDatabase();
  wire = await openWire(scratch.url);
  [db, listener] = [connect(wire.url, { poolSize: 4 }), connect(scratch.url, { poolSize: 2 })];
  await listener.rows('create table notes (text text not null unique deferrable initially deferred)', []);
  await listener.driver.listen('news', (payload) => received.push(payload));
});
test.after(async () => {
  await Promise.all([db.close(1), listener.close(1)]);
  await wire.close();
  await scratch.drop();
});

test('are sent once the transaction has committed, in their order, and not before', async () => {
  await db.transaction(async (tx) => {
    tx.notify('news', 'a');
    await tx.rows(insert, ['a']);
    tx.notify('news', 'b');
    assert.equal(await arrived(), []);
  });
  assert.equal(await arrived(), ['a', 'b']);
});

test('are not sent when the transaction, or the savepoint in it, is rolled back, or the COMMIT fails', async () => {
  const rolledBack = async (tx: Db) => {
    tx.notify('news', 'lost');
    throw new Error('no');
  };
  assert.is(await failing(db.transaction(rolledBack)), 'no');
  await db.transaction(async (tx) => {
    assert.is(await failing(tx.transaction(rolledBack)), 'no');
    await tx.transaction(async (inner) => inner.notify('news', 'within'));
    tx.notify('news', 'after');
  });
  const refused = db.transaction(async (tx) => {
    tx.notify('news', 'refused');
    await tx.rows(insert, ['twice']);
    await tx.rows(insert, ['twice']);
  });
  assert.match(await failing(refused), /duplicate key/);
  assert.equal(await arrived(), ['within', 'after']);
});

test('of a statement that is sent together with the COMMIT are not lost', async () => {
  await db.transaction(async (tx) => {
    void tx.rows(insert, ['late']).then(() => tx.notify('news', 'late'));
  });
  assert.equal(await arrived(), ['late']);
});

test('are sent once when the transaction is repeated', async () => {
  let runs = 0;
  await db.transaction(async (tx) => {
    tx.notify('news', 'run');
    if (++runs === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  });
  assert.is(runs, 2);
  assert.equal(await arrived(), ['run']);
});

test('are one statement for all that is added while another one is sent, equal ones once', async () => {
  await arrived();
  const before = wire.statements;
  db.notify('news', 'first');
  await setImmediate();
  for (let round = 0; round < 150; round++) {
    db.notify('news', 'same');
    db.notify('news', `${round % 3}`);
  }
  assert.equal(await arrived(), ['first', 'same', '0', '1', '2']);
  assert.is(wire.statements - before, 2);
});

test('survive the loss of their connection', async () => {
  await arrived();
  await listener.rows(
    // All test files share one server.
    `select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%pg_notify%' and pid <> pg_backend_pid() and datname = current_database()`,
    [],
  );
  assert.equal(await arrived(), []);
});

test.run();
