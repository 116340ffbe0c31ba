import { once } from 'node:events';
import { type AddressInfo, createServer, connect as open } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { Standby } from '../../db/standby/standby.ts';
import { type StandbyCluster, startStandbyCluster } from '../support/standby-cluster.ts';
import { until } from '../support/until.ts';

/* A real standby without the service around it: reads that it cancels, and other servers at its address. */

const test = suite('a streaming standby');

let cluster: StandbyCluster;
let db: Database;
const workspaceId = crypto.randomUUID();

test.before(async () => {
  cluster = await startStandbyCluster();
  db = connect(cluster.url);
  await migrate(db.driver);
});
test.after(async () => {
  await db.close();
  await cluster.remove();
});

/** Resolves once the standby may be read from. */
const inUse = (standby: Standby) =>
  until(async () => {
    await standby.probe();
    return standby.read(workspaceId, 60_000);
  });

function readerOf(standby: Standby) {
  const { db: reads } = standby.read(workspaceId, 60_000) ?? {};
  assert.ok(reads);
  return reads;
}

test('a read that is cancelled to apply a change is an error, and the standby stays in use', async () => {
  const standby = new Standby(db, { url: cluster.standbyUrl, poolSize: 2 });
  try {
    await inUse(standby);
    const reads = readerOf(standby);
    const locked = 'locked_on_the_standby';
    await db.rows(`create table ${locked} as select 1 as n`, []);
    await until(async () => (await reads.rows(`select n from ${locked}`, []).catch(() => [])).length === 1);
    const reading = reads.rows(`select pg_sleep(60) from ${locked}`, []).catch((error: unknown) => error);
    await until(
      async () => (await cluster.standby`select from pg_stat_activity where wait_event = 'PgSleep'`).length > 0,
      () => 'the read is under way',
    );
    await db.transaction(async (tx) => {
      await tx.rows(`lock table ${locked} in access exclusive mode`, []);
    });
    assert.match(String(await reading), /conflict with recovery/);
    await standby.probe();
    assert.is(standby.status, 'ok');
  } finally {
    await standby.close(1);
  }
});

test('a connection to another server behind the address is refused', async () => {
  const [standbyPort, primaryPort] = [cluster.standbyUrl, cluster.url].map((url) => Number(new URL(url).port));
  let target = standbyPort ?? 0;
  const balancer = createServer((client) => {
    const server = open(target, '127.0.0.1');
    client.pipe(server).pipe(client);
    for (const each of [client, server]) each.on('error', () => client.destroy());
  });
  await once(balancer.listen(0, '127.0.0.1'), 'listening');
  const { port } = balancer.address() as AddressInfo;
  const url = cluster.standbyUrl.replace(`:${standbyPort}/`, `:${port}/`);
  const standby = new Standby(db, { url, poolSize: 2 });
  try {
    await inUse(standby);
    const read = () => readerOf(standby).rows<{ n: number }>('select 1 as n', []);
    target = primaryPort ?? 0;
    const refused = await read().catch((error: Error) => error.message);
    assert.match(String(refused), /^Another server answers at DATABASE_READ_URL/);
    target = standbyPort ?? 0;
    assert.equal(await read(), [{ n: 1 }]);
  } finally {
    await standby.close(1);
    balancer.close();
  }
});

test('nothing is changed, locked or notified of through a standby', async () => {
  const standby = new Standby(db, { url: cluster.standbyUrl, poolSize: 2 });
  try {
    await inUse(standby);
    const reads = readerOf(standby);
    const failure = async (work: () => unknown) => {
      try {
        await work();
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.is(await failure(() => reads.transaction(async () => {})), 'A standby only reads');
    assert.is(await failure(() => reads.notify('a', 'b')), 'A standby only reads');
    const change = 'update sweeps set begun_at = now()';
    assert.match(await failure(() => reads.rows(change, [])), /read-only transaction/);
  } finally {
    await standby.close(1);
  }
});

test('a database of both hosts is written to on the primary, although the standby is named first', async () => {
  const { host } = new URL(cluster.url);
  const both = connect(cluster.standbyUrl.replace(/@([^/]+)\//, `@$1,${host}/`), { poolSize: 2 });
  const text = 'select pg_is_in_recovery() as "isStandby"';
  try {
    await both.transaction((tx) => tx.rows('create temporary table written as select 1 as n', []));
    assert.equal(await both.rows(text, []), [{ isStandby: false }]);
    assert.equal([...(await both.driver.unsafe(text))], [{ isStandby: false }]);
  } finally {
    await both.close();
  }
});

test('positions in logs that a server had are not those of one that answers after it', async () => {
  const standby = new Standby(db, { url: cluster.standbyUrl, poolSize: 2 });
  try {
    await inUse(standby);
    const { positions: before } = standby.read(workspaceId, 60_000) ?? {};
    assert.ok(before);
    before.set(workspaceId, { latest: 7, at: performance.now() });
    await standby.probe();
    assert.is(standby.read(workspaceId, 60_000)?.positions, before, 'the same server');
    await cluster.killStandby();
    await until(async () => {
      await standby.probe();
      return standby.status === 'unreachable';
    });
    assert.is(standby.read(workspaceId, 60_000), undefined);
    await cluster.startStandby();
    await inUse(standby);
    assert.is(standby.read(workspaceId, 60_000)?.positions.get(workspaceId), undefined);
    assert.equal(await readerOf(standby).rows<{ n: number }>('select 1 as n', []), [{ n: 1 }]);
  } finally {
    await standby.close(1);
  }
});

test.run();
