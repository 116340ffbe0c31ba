import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { distributedDatabase, onCluster, openTenant, type Tenant, todosByTitle } from '../support/citus.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { WriteLedger } from '../support/write-ledger.ts';

/* Two processes on a Citus cluster, one of which is killed, and a worker that cannot be reached for a while. */

const test = suite('losses on Citus');
const promise = onCluster(test);

let cluster: Awaited<ReturnType<typeof distributedDatabase>>;
let services: ServiceProcess[] = [];
const passages = new Map<number, Passage>();

async function openWorker(port: number): Promise<number> {
  const passage = await openPassage(`postgres://127.0.0.1:${port}/`);
  const known = Number(new URL(passage.url).port);
  passages.set(known, passage);
  return known;
}

/** A tenant on each worker. */
async function tenantsOfAll(): Promise<Tenant[]> {
  const byPort = new Map<number, Tenant>();
  while (byPort.size < passages.size) {
    const tenant = await openTenant(cluster.db);
    byPort.set(tenant.port, tenant);
  }
  return [...byPort.values()];
}

if (promise === test) {
  test.before(async () => {
    cluster = await distributedDatabase(openWorker);
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
    await cluster?.remove();
    for (const passage of passages.values()) await passage.close();
  });
}

const write = (ledger: WriteLedger, name: string) => ledger.write('POST /todos', { title: name }, name);

const byTitle = (ids: ReadonlyMap<string, string[]>) => [...ids].sort(([a], [b]) => (a < b ? -1 : 1));

promise('of two processes one is killed while both create: nothing acknowledged is lost or doubled', async () => {
  const tenant = await openTenant(cluster.db);
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
  assert.equal(await todosByTitle(cluster.db, tenant), byTitle(ledger.acknowledged));
});

promise('a worker is lost: its workspaces get 503 until it is back, others are served, with their events', async () => {
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

  const log = `select count(*)::int as count from events where workspace_id = $1 and type = 'todo.created'`;
  const created = async ({ workspaceId }: Tenant) =>
    (await cluster.db.rows<{ count: number }>(log, [workspaceId]))[0]?.count;
  await until(async () => (await created(there)) === 4);

  await passages.get(here.port)?.mend();
  const ledger = new WriteLedger(() => service, here.key);
  for (let round = 0; round < 3; round++) await write(ledger, `during ${round}`);
  for (const tenant of [here, there]) {
    const found = await todosByTitle(cluster.db, tenant);
    assert.equal(
      found.map(([title, ids]) => [title, ids.length]),
      ['before', 'during 0', 'during 1', 'during 2'].map((title) => [title, 1]),
    );
    await until(async () => (await created(tenant)) === 4);
  }
});

test.run();
