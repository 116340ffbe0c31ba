import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { errorCode } from '../../db/errors.ts';
import { examineSessions } from '../../db/session-check.ts';
import { openPgListener } from '../../server/pubsub/listener.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until } from '../support/until.ts';

/*
 * Two hosts in one URL, both in front of the database of the tests: one that is silent, or says that it is a standby.
 */

const test = suite('a database of two hosts');
const passages: Passage[] = [];
const databases: Database[] = [];

async function twoHosts(): Promise<{ first: Passage; second: Passage; url: string }> {
  const [first, second] = [await openPassage(testDatabaseUrl()), await openPassage(testDatabaseUrl())];
  passages.push(first, second);
  return { first, second, url: first.url.replace(/@([^/]+)\//, `@$1,${new URL(second.url).host}/`) };
}

function open(url: string): Database {
  const db = connect(url, { poolSize: 2 });
  databases.push(db);
  return db;
}

/** The next probe of the host is answered as by a standby. */
const makeStandby = (passage: Passage) =>
  passage.meet('pg_is_in_recovery()', (chunk) =>
    Buffer.from(chunk.toString('latin1').replace('pg_is_in_recovery()', 'true'.padEnd(19)), 'latin1'),
  );

const pidOf = async (db: Database) => (await db.rows<{ pid: number }>('select pg_backend_pid() as pid', []))[0]?.pid;

test.after.each(async () => {
  await Promise.all(databases.splice(0).map((db) => db.close(1)));
  await Promise.all(passages.splice(0).map((each) => each.close()));
});

test('is reached where the first of them is silent', async () => {
  const { first, url } = await twoHosts();
  first.stall();
  const db = open(url);
  assert.equal(await db.rows('select 1 as n', []), [{ n: 1 }]);
  assert.equal([...(await db.driver`select 1 as n`)], [{ n: 1 }]);
  assert.equal(await examineSessions(url, async () => 'asked'), { settingsBy: 'startup', engine: 'asked' });
  let isListening = false;
  const listener = openPgListener(url, pino({ level: 'silent' }));
  listener.listen('two_hosts', {
    onNotification: () => {},
    onReconnect: () => {
      isListening = true;
    },
  });
  await until(() => isListening);
  await listener.close();
});

test('is used where it is a primary, and no connection remains at a standby', async () => {
  const { first, second, url } = await twoHosts();
  makeStandby(first);
  const db = open(url);
  const pid = await pidOf(db);
  await first.cut();
  assert.is(await pidOf(db), pid);
  await first.mend();
  await second.cut();
  await until(async () => (await pidOf(db).catch(() => undefined)) !== undefined);
});

test('is read-only where none of them is a primary', async () => {
  const { first, second, url } = await twoHosts();
  for (const each of [first, second]) makeStandby(each);
  const error = await open(url)
    .rows('select 1', [])
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  assert.is(errorCode(error), '25006', String(error));
});

test('a connection whose server refuses changes is replaced', async () => {
  const db = open(testDatabaseUrl());
  const pid = await pidOf(db);
  const error = await db
    .transaction(async (tx) => {
      await tx.rows('set transaction read only', []);
      await tx.rows('create table never_made ()', []);
    })
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  assert.is(errorCode(error), '25006', String(error));
  assert.is.not(await pidOf(db), pid);
});

test.run();
