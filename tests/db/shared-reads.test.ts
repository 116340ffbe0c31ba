import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

/* Reads of one text that begin together share a connection (db/shared-reads.ts). */

const test = suite('reads that share a connection');
let scratch: ScratchDatabase;
let passage: Passage;
let db: Database;
let direct: Database;
const unwatch = surviveLostConnections({ warn: () => {} });

test.before(async () => {
  scratch = await createDatabase();
  passage = await openPassage(scratch.url);
  db = connect(passage.url, { poolSize: 4 });
  direct = connect(scratch.url, { poolSize: 2 });
});
test.after(async () => {
  await Promise.all([db.close(1), direct.close(1)]);
  await passage.close();
  await scratch.drop();
  unwatch();
});

interface Read {
  n: number;
  pid: number;
}

const text = 'select $1::int as n, pg_backend_pid() as pid';
/** Waits in PostgreSQL while the lock is held. */
const waits = 'select pg_advisory_xact_lock_shared(7), 1 / $1::int as n, pg_backend_pid() as pid';
const together = (count: number, from = 0) =>
  Promise.all(Array.from({ length: count }, async (_, n) => (await db.lookUp<Read>(text, [from + n]))[0]));
const connectionsOf = (reads: readonly (Read | undefined)[]) => new Set(reads.map((read) => read?.pid)).size;

test('eight at most share one, and each gets its own row', async () => {
  const eight = await together(8);
  assert.equal(
    eight.map((read) => read?.n),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
  assert.is(connectionsOf(eight), 1);
  assert.is(connectionsOf(await together(16)), 2);
  assert.is(connectionsOf(await together(17)), 3);
});

test('another text, and what begins while they run, has a connection of its own', async () => {
  const holder = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const lock = direct.transaction(async (tx) => {
    await tx.rows('select pg_advisory_xact_lock(7)', []);
    held.resolve();
    await holder.promise;
  });
  await held.promise;
  const waiting = [db.lookUp<Read>(waits, [1]), db.lookUp<Read>(waits, [1])];
  const [[other], [later]] = await Promise.all([
    db.lookUp<Read>(text, [1]),
    new Promise<Read[]>((resolve, reject) => setImmediate(() => db.lookUp<Read>(text, [2]).then(resolve, reject))),
  ]);
  assert.is(later?.n, 2);
  holder.resolve();
  await lock;
  const [[first], [second]] = (await Promise.all(waiting)) as [Read[], Read[]];
  assert.is(first?.pid, second?.pid);
  assert.is.not(first?.pid, other?.pid);
  assert.is.not(first?.pid, later?.pid);
});

test('one that fails takes nothing from the others, and its connection serves on', async () => {
  const ends = await Promise.allSettled([1, 0, 1, 0, 1].map((n) => db.lookUp<Read>(waits, [n])));
  assert.equal(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.is((ends[1] as PromiseRejectedResult).reason.code, '22012');
  assert.is(db.load.busy, 0);
  assert.is(connectionsOf(await together(8)), 1);
});

test('one that cannot be sent fails alone, also when it is the first', async () => {
  const ends = await Promise.allSettled([Number.NaN, 5, 6].map((n) => db.lookUp<Read>(text, [n])));
  assert.equal(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.is(db.load.busy, 0);
});

test('all fail with a connection that is lost, and the next ones have another', async () => {
  await together(8);
  await passage.cut();
  const ends = await Promise.allSettled(Array.from({ length: 20 }, () => db.lookUp<Read>(text, [1])));
  assert.equal([...new Set(ends.map(({ status }) => status))], ['rejected']);
  assert.is(db.load.busy, 0);
  await passage.mend();
  await until(() =>
    together(20).then(
      () => true,
      () => false,
    ),
  );
  assert.is(db.load.busy, 0);
});

test('all fail with a connection that is lost before it has prepared their statement', async () => {
  const opened = connect(passage.url, { poolSize: 1 });
  try {
    await opened.rows('select 1', []);
    passage.stall();
    const reads = Array.from({ length: 8 }, (_, n) => opened.lookUp<Read>(`${text} -- never before`, [n]));
    const ends = Promise.allSettled(reads);
    await until(() => opened.load.busy === 1);
    await passage.cut();
    assert.equal([...new Set((await ends).map(({ status }) => status))], ['rejected']);
    assert.is(opened.load.busy, 0);
  } finally {
    await passage.mend();
    await opened.close(1);
  }
});

test('all fail when their connection cannot be opened, also after one that cannot be sent, and none is held', async () => {
  await passage.cut();
  const unopened = connect(passage.url, { poolSize: 4 });
  try {
    for (const values of [[1, 2, 3, 4, 5, 6, 7, 8], [Number.NaN, 1, 2, 3], [1]]) {
      const ends = await Promise.allSettled(values.map((n) => unopened.lookUp<Read>(text, [n])));
      assert.equal([...new Set(ends.map(({ status }) => status))], ['rejected'], String(values));
      assert.is(unopened.load.busy, 0);
    }
    const reasons = await Promise.allSettled([1, 2].map((n) => unopened.lookUp<Read>(text, [n])));
    assert.equal(
      reasons.map((each) => (each as PromiseRejectedResult).reason.code),
      ['ECONNREFUSED', 'ECONNREFUSED'],
    );
    await passage.mend();
    const ends = await Promise.allSettled([Number.NaN, 1, 2, 3].map((n) => unopened.lookUp<Read>(text, [n])));
    assert.equal(
      ends.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    );
  } finally {
    await passage.mend();
    await unopened.close(1);
  }
});

test('those of a transaction are its own statements', async () => {
  await db.transaction(async (tx) => {
    const [inside] = await tx.lookUp<Read>(text, [1]);
    const [outside] = await db.lookUp<Read>(text, [1]);
    const [again] = await tx.rows<Read>(text, [1]);
    assert.is(inside?.pid, again?.pid);
    assert.is.not(inside?.pid, outside?.pid);
  });
});

test('when the pool is closed all of them are refused', async () => {
  const closed = connect(scratch.url, { poolSize: 2 });
  await closed.close(1);
  const ends = await Promise.allSettled([1, 2, 3].map((n) => closed.lookUp<Read>(text, [n])));
  assert.equal(
    ends.map((end) => end.status === 'rejected' && end.reason.code),
    ['CONNECTION_ENDED', 'CONNECTION_ENDED', 'CONNECTION_ENDED'],
  );
});

test.run();
