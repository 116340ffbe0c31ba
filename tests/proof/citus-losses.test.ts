import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { distributeTables } from '../../db/engine/distribute.ts';
import { migrate } from '../../db/migrate.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { clusterDatabase, onCluster } from '../support/citus.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { WriteLedger } from '../support/write-ledger.ts';

/* Two processes on a Citus cluster, one of which is killed, and a worker that cannot be reached for a while. */

const test = suite('losses on Citus');
const promise = onCluster(test);

/** A workspace with a key, and the port at which its worker is known. */
interface Tenant {
  workspaceId: string;
  key: string;
  port: number;
}

let cluster: Awaited<ReturnType<typeof clusterDatabase>>;
let db: Database;
let services: ServiceProcess[] = [];
const passages = new Map<number, Passage>();

async function openWorker(port: number): Promise<number> {
  const passage = await openPassage(`postgres://127.0.0.1:${port}/`);
  const known = Number(new URL(passage.url).port);
  passages.set(known, passage);
  return known;
}

const nodeOf = `select nodeport as port from pg_dist_shard_placement
  where shardid = get_shard_id_for_distribution_column('todos', $1::uuid)`;

async function openTenant(): Promise<Tenant> {
  const person = { userName: 'Ada', email: `${crypto.randomUUID()}@example.com`, passwordHash: '', timezone: 'UTC' };
  const { workspaceId, userId } = await createWorkspace(db, { ...person, workspaceName: 'One', agentMinutes: 0 });
  const seed = { workspaceId, userId, name: 'key', scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  const { secret: key } = await createApiKey(db, seed);
  const [node] = await db.driver.unsafe<{ port: number }[]>(nodeOf, [workspaceId]);
  return { workspaceId, key, port: node?.port ?? 0 };
}

/** A tenant on each worker. */
async function tenantsOfAll(): Promise<Tenant[]> {
  const byPort = new Map<number, Tenant>();
  while (byPort.size < passages.size) {
    const tenant = await openTenant();
    byPort.set(tenant.port, tenant);
  }
  return [...byPort.values()];
}

if (promise === test) {
  test.before(async () => {
    cluster = await clusterDatabase(openWorker);
    const sql = postgres(cluster.url, { max: 2, onnotice: () => {} });
    await migrate(sql);
    const connection = await sql.reserve();
    await connection.unsafe('set citus.shard_count = 4');
    await distributeTables(connection);
    connection.release();
    await sql.end();
    db = connect(cluster.url, { engine: 'citus', poolSize: 4 });
  });
  test.before.each(async () => {
    services = [
      await startProcess({ DATABASE_URL: cluster.url, AGENT_CONCURRENCY: '0' }),
      await startProcess({ DATABASE_URL: cluster.url, AGENT_CONCURRENCY: '0' }),
    ];
  });
  test.after.each(async () => {
    for (const passage of passages.values()) await passage.mend();
    await stopProcesses();
  });
  test.after(async () => {
    await db?.close();
    for (const passage of passages.values()) await passage.close();
    await cluster?.drop();
  });
}

const write = (ledger: WriteLedger, name: string) => ledger.write('POST /todos', { title: name }, name);

/** The ids of the todos by their titles, as the database has them. */
async function stored({ workspaceId }: Tenant): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ id: string; title: string }>('select id, title from todos where workspace_id = $1', [
    workspaceId,
  ]);
  const byTitle = Map.groupBy(rows, ({ title }) => title);
  return new Map([...byTitle].map(([title, found]) => [title, found.map(({ id }) => id)]));
}

const byTitle = (ids: ReadonlyMap<string, string[]>) => [...ids].sort(([a], [b]) => (a < b ? -1 : 1));

promise('of two processes one is killed while both create: nothing acknowledged is lost or doubled', async () => {
  const tenant = await openTenant();
  let turn = 0;
  const any = () => services[turn++ % services.length] as ServiceProcess;
  const ledger = new WriteLedger(any, tenant.key);
  const client = async (name: string) => {
    for (let place = 0; place < 15; place++) await write(ledger, `${name} ${place}`);
  };
  const clients = Promise.all(['a', 'b', 'c', 'd'].map(client));
  await until(() => ledger.acknowledged.size >= 20);
  assert.ok(ledger.acknowledged.size < 60);
  services[0]?.child.kill('SIGKILL');
  await clients;
  assert.is(ledger.acknowledged.size, 60);
  assert.equal(byTitle(await stored(tenant)), byTitle(ledger.acknowledged));
});

promise('a worker is lost: its workspaces get 503 until it is back, others are served', async () => {
  const [here, there] = await tenantsOfAll();
  assert.ok(here && there);
  const [service] = services;
  assert.ok(service);
  const create = ({ key }: Tenant, title: string) =>
    service.call('POST /todos', key, { title }, { 'idempotency-key': title });
  for (const tenant of [here, there]) assert.is((await create(tenant, 'before')).status, 201);

  await passages.get(here.port)?.cut();
  for (let round = 0; round < 3; round++) {
    const lost = await create(here, `during ${round}`);
    assert.equal(
      [lost.status, lost.body.reason, lost.headers.has('retry-after')],
      [503, 'unavailable', true],
      lost.text,
    );
    const served = await create(there, `during ${round}`);
    assert.is(served.status, 201, served.text);
  }

  await passages.get(here.port)?.mend();
  const ledger = new WriteLedger(() => service, here.key);
  for (let round = 0; round < 3; round++) await write(ledger, `during ${round}`);
  for (const tenant of [here, there]) {
    const found = await stored(tenant);
    assert.equal([...found.keys()].sort(), ['before', 'during 0', 'during 1', 'during 2']);
    assert.ok([...found.values()].every((ids) => ids.length === 1));
  }
});

test.run();
