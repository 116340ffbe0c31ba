import { pino } from 'pino';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import type { TurnRef } from '../routers/jobs.ts';
import { explain } from '../server/explain.ts';
import { openQueue, type Queue } from '../server/jobs/queue.ts';
import { aTurn } from './jobs-world.ts';
import { createDatabase, type ScratchDatabase } from './scratch.ts';

const test = suite('the tables of the queue');
const log = pino({ level: 'silent' });
let scratch: ScratchDatabase;
const open = new Set<Queue>();

test.before.each(async () => {
  scratch = await createDatabase();
});
test.after.each(async () => {
  await Promise.all([...open].map((queue) => queue.close()));
  open.clear();
  await scratch.drop();
});

async function start(url = scratch.url): Promise<Queue> {
  const queue = await openQueue(url, log, true);
  open.add(queue);
  return queue;
}

/** Runs statements in the scratch database as its owner. */
async function asOwner(...texts: string[]) {
  const sql = postgres(scratch.url, { max: 1, onnotice: () => {} });
  for (const text of texts) await sql.unsafe(text);
  await sql.end();
}

test('are made by whichever of several processes comes first, and all of them work', async () => {
  const queues = await Promise.all([start(), start(), start()]);
  const db = connect(scratch.url, { poolSize: 2 });
  const turns = queues.map(aTurn);
  await db.transaction(async (tx) => {
    for (const [index, queue] of queues.entries()) await queue.turn(tx, turns[index] as TurnRef);
  });
  const taken = await Promise.all(queues.map((queue) => queue.take('turns', 1)));
  const ids = taken.flat().map(({ data }) => data.turnId);
  assert.equal(new Set(ids), new Set(turns.map(({ turnId }) => turnId)));
  await db.close();
});

test('follow the settings of this version when they were made by another', async () => {
  await (await start()).close();
  await asOwner('update pgboss.queue set heartbeat_seconds = 60, retry_limit = 1');
  await start();
  const sql = postgres(scratch.url, { max: 1 });
  const rows = await sql`select name, heartbeat_seconds, retry_limit from pgboss.queue order by name`;
  await sql.end();
  assert.equal(
    [...rows],
    [
      { name: 'captures', heartbeat_seconds: 10, retry_limit: 20 },
      { name: 'digests', heartbeat_seconds: 10, retry_limit: 4 },
      { name: 'turns', heartbeat_seconds: 10, retry_limit: 20 },
    ],
  );
});

test('need a right that the role may lack: it is told what to do, and doing that is enough', async () => {
  const role = `narrow_${crypto.randomUUID().slice(0, 8)}`;
  const { pathname } = new URL(scratch.url);
  const url = new URL(scratch.url);
  url.username = role;
  url.password = 'secret';
  await asOwner(
    `create role ${role} login password 'secret'`,
    `revoke create on database ${pathname.slice(1)} from public`,
    `grant all on schema public to ${role}`,
    'create extension pg_trgm',
    'create extension btree_gin',
  );
  try {
    const db = connect(url.toString(), { poolSize: 2 });
    await migrate(db.driver);
    const told = explain(await start(url.toString()).catch((error: unknown) => error));
    const [, advice = ''] = /run: (CREATE SCHEMA [^;]+;)/.exec(told) ?? [];
    assert.match(told, `The database role ${role} may not create the schema pgboss`);
    assert.match(told, pathname.slice(1));
    await asOwner(advice);
    const queue = await start(url.toString());
    await db.transaction((tx) => queue.turn(tx, aTurn()));
    assert.is((await queue.take('turns', 1)).length, 1);
    await db.close();
    await Promise.all([...open].map((each) => each.close()));
    open.clear();
  } finally {
    await asOwner(`drop owned by ${role} cascade`, `drop role ${role}`);
  }
});

test.run();
