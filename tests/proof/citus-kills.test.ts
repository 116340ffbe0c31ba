import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { distributedDatabase, onCluster, openTenant, type Tenant } from '../support/citus.ts';
import { compare, startWriting, type Writing, writeOn } from '../support/citus-load.ts';
import { type OwnNode, startOwnNode, withOwnNode } from '../support/citus-node.ts';
import { type Balancer, behindBalancer, startBalancer } from '../support/haproxy.ts';
import { freePort } from '../support/ports.ts';
import { callerOf, type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { countOf } from '../support/proof-size.ts';
import { RateFlood } from '../support/rate-flood.ts';
import { until } from '../support/until.ts';
import { type Asked, WriteLedger } from '../support/write-ledger.ts';

/*
 * Four processes behind HAProxy on a Citus cluster, of which one after the other is killed under load, and so is a
 * worker of the cluster, a PostgreSQL of the test's own.
 */

const test = suite('kills on Citus');
const name = 'four processes behind HAProxy on Citus';
const isPossible = onCluster(test) === test && withOwnNode(test) === test;
const promise = isPossible ? behindBalancer(test, name) : test.skip;
const processKills = countOf('CITUS_PROCESS_KILLS', { ci: 5, full: 100 });
const workerKills = countOf('CITUS_WORKER_KILLS', { ci: 2, full: 30 });
const quota = 60;
/** Agent minutes that are used up: a turn of the built-in engine takes a tenth. */
const fewMinutes = 0.5;

const expected: ReadonlySet<number> = new Set([0, 409, 502, 503, 504]);

let worker: OwnNode;
let cluster: Awaited<ReturnType<typeof distributedDatabase>>;
let ports: number[] = [];
const services: ServiceProcess[] = [];
let balancer: Balancer;
let any: () => Asked;

const start = (port: number) =>
  startProcess({ DATABASE_URL: cluster.url, PORT: String(port), TRUST_PROXY: '1', AGENT_CONCURRENCY: '2' });

if (promise === test) {
  test.before(async () => {
    worker = await startOwnNode(new URL(process.env.TEST_CITUS_URL ?? '').username);
    cluster = await distributedDatabase(undefined, [worker]);
    for (let place = 0; place < 4; place++) ports = [...ports, await freePort()];
    for (const port of ports) services.push(await start(port));
    balancer = await startBalancer(ports);
    await balancer.untilUp(ports.length);
    any = () => ({ call: callerOf(balancer.url) });
  });
  test.after(async () => {
    await balancer?.close();
    await stopProcesses();
    // A test that failed may have left it killed.
    await worker?.start();
    await cluster?.remove();
    await worker?.remove();
  });
}

/** A workspace on the worker that is killed, and one on another. */
async function openTenants(): Promise<[mine: Tenant, other: Tenant]> {
  let [mine, other]: (Tenant | undefined)[] = [];
  while (!mine || !other) {
    const tenant = await openTenant(cluster.db, 1000);
    if (tenant.port === worker.port) mine = tenant;
    else other = tenant;
  }
  return [mine, other];
}

async function killProcess(place: number): Promise<void> {
  const victim = services[place] as ServiceProcess;
  victim.child.kill('SIGKILL');
  await victim.exited;
  services[place] = await start(ports[place] as number);
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Kills processes and the worker, in an order drawn by lot, while all write. */
async function strike(writings: readonly [mine: Writing, other: Writing]): Promise<void> {
  const [, other] = writings;
  const killWorker = async () => {
    await worker.kill();
    await writeOn([other]);
    await worker.start();
  };
  const blows = shuffled([
    ...Array.from({ length: processKills }, (_, place) => () => killProcess(place % ports.length)),
    ...Array.from({ length: workerKills }, () => killWorker),
  ]);
  for (const blow of blows) {
    await writeOn(writings);
    await sleep(Math.random() * 200);
    await blow();
  }
  await writeOn(writings);
}

/** Has an agent work until no minutes are left. Returns how many chats began. */
async function useUp({ key }: Tenant): Promise<number> {
  const ledger = new WriteLedger(any, key);
  for (let place = 0; ; place++) {
    const message = `Create a todo: Last ${place}`;
    const { status } = await ledger.ask(
      'POST /chats',
      { message, waitSeconds: 5 },
      { 'idempotency-key': `chat ${place}` },
    );
    if (status === 402) return place;
    assert.is(status, 201);
  }
}

const minutesOf = `select (select agent_minutes from workspaces where id = $1)::float8 as "left",
    (select count(*)::int from chat_turns where workspace_id = $1 and ended_at is null) as open,
    (select sum(minutes) from chat_turns where workspace_id = $1)::float8 as "ofTurns",
    -(select sum(minutes) from minute_entries where workspace_id = $1 and kind = 'turn')::float8 as entered`;

promise(`${processKills} kills of processes and ${workerKills} of a worker: nothing is lost or doubled`, async () => {
  const tenants = await openTenants();
  const poor = await openTenant(cluster.db, fewMinutes);
  const limited = await openTenant(cluster.db);
  await cluster.db.rows('update credentials set rate_limit_per_minute = $2 where workspace_id = $1', [
    limited.workspaceId,
    quota,
  ]);
  const writings = tenants.map((tenant) => startWriting(any, tenant)) as [Writing, Writing];
  const flood = new RateFlood(any, limited.key, quota, 2);
  const using = useUp(poor);
  using.catch(() => {});
  try {
    await strike(writings);
    await until(() => [...flood.minutes.values()].some(({ refused }) => refused > 0));
  } finally {
    for (const writing of writings) await writing.stop();
    await flood.stop();
  }
  const chats = await using;
  await until(async () => (await cluster.db.rows<{ open: number }>(minutesOf, [poor.workspaceId]))[0]?.open === 0);
  assert.equal(await cluster.db.rows(minutesOf, [poor.workspaceId]), [
    { left: 0, open: 0, ofTurns: fewMinutes, entered: fewMinutes },
  ]);
  for (const [place, tenant] of tenants.entries()) await compare(cluster.db, tenant, writings[place] as Writing);
  const full = flood.check();
  const refused = writings.map(({ ledger }) => JSON.stringify([...ledger.refused]));
  // 0: no answer; 409: an earlier try with the same key is still at work; the others but 503 are of HAProxy.
  const wrong = writings.flatMap(({ ledger }) => [...ledger.refused.keys()]).filter((status) => !expected.has(status));
  assert.equal(wrong, [], 'what is refused meanwhile is unavailable, and not an error');
  const todos = writings.map(({ titles }) => titles.size);
  process.stdout.write(
    `${todos} todos, ${chats} chats until 402, ${full} full minutes, refused ${refused.join(' ')}\n`,
  );
});

test.run();
