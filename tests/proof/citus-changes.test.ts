import { channel } from 'node:diagnostics_channel';
import { pino } from 'pino';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { isUnavailable } from '../../db/errors.ts';
import { recordingPart } from '../../domain/events/record.ts';
import { type Sequencer, startSequencer } from '../../server/events/sequencer.ts';
import { distributedDatabase, onCluster, openTenant, portOf, type Tenant } from '../support/citus.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until } from '../support/until.ts';

/*
 * Changes of a workspace on the worker that has it (db/direct-statements.ts), beside others through the coordinator,
 * while its shards move and connections are lost; and the numbers of their events.
 */

const test = suite('changes on the workers of Citus');
const promise = onCluster(test);

let cluster: Awaited<ReturnType<typeof distributedDatabase>>;
let sequencer: Sequencer;
/** The ways to the workers by the ports at which these are known, and their own ports. */
const passages = new Map<number, Passage & { worker: number }>();
/** Changes of shards of workspaces that were sent. */
let direct = 0;
const count = (text: unknown) => {
  if (/\bupdate workspaces_\d+\b/.test(String(text))) direct++;
};

async function openWorker(worker: number): Promise<number> {
  const passage = await openPassage(`postgres://127.0.0.1:${worker}/`);
  const known = Number(new URL(passage.url).port);
  passages.set(known, { ...passage, worker });
  return known;
}

if (promise === test) {
  test.before(async () => {
    channel('tandem:statement').subscribe(count);
    cluster = await distributedDatabase(openWorker);
    sequencer = startSequencer(cluster.db, pino({ level: 'silent' }));
  });
  test.after(async () => {
    channel('tandem:statement').unsubscribe(count);
    await sequencer?.stop();
    await cluster?.remove();
    for (const passage of passages.values()) await passage.close();
  });
}

/** A tenant whose name is a number, to be counted up. */
async function openCounter(): Promise<Tenant> {
  const tenant = await openTenant(cluster.db);
  await cluster.db.rows(`update workspaces set name = '0' where id = $1`, [tenant.workspaceId]);
  return tenant;
}

const nameText = 'select name from workspaces where id = $1';

/** Resolves when the worker at this port has counted the workspace up to `wanted`. */
async function untilWorkerHas(worker: number, { workspaceId }: Tenant, wanted: number): Promise<void> {
  const url = new URL(cluster.url);
  url.port = String(worker);
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    await until(async () => (await sql.unsafe<{ name: string }[]>(nameText, [workspaceId]))[0]?.name === `${wanted}`);
  } finally {
    await sql.end();
  }
}

/** How often the workspace was counted up. */
async function countOf({ workspaceId }: Tenant): Promise<number> {
  const [row] = await cluster.db.rows<{ name: string }>(nameText, [workspaceId]);
  return Number(row?.name);
}

/** Counts up once, and records that: the version of the event is the number. One waits for the other to commit. */
async function countUp(db: Db, { workspaceId }: Tenant): Promise<number> {
  const bindings = new Bindings(workspaceId);
  const recorded = recordingPart(bindings, db.origin, {
    events: [{ type: 'workspace.updated', objectId: workspaceId, changedFields: ['name'] }],
    changed: 'changed',
    workspace: '$1',
    version: 'c.name::int',
  });
  const text = `with changed as (update workspaces set name = (name::int + 1)::text where id = $1 returning id, name),
    ${recorded} select name from changed`;
  const [row] = await db.rows<{ name: string }>(text, bindings.values);
  return Number(row?.name);
}

/** Whether a change goes to the worker. */
async function isDirect(tenant: Tenant): Promise<boolean> {
  const before = direct;
  await cluster.db.of(tenant.workspaceId).rows('update workspaces set name = name where id = $1', [tenant.workspaceId]);
  return direct > before;
}

const logText = `select sequence::int as sequence, version from events
  where workspace_id = $1 and type = 'workspace.updated' order by sequence`;
const queueText = 'select id from event_queue where workspace_id = $1';

/** Checks that the log has each number once, in the order of the commits, and that nothing waits any more. */
async function checkLog({ workspaceId }: Tenant, last: number): Promise<void> {
  const { db } = cluster;
  await until(async () => (await db.rows(queueText, [workspaceId])).length === 0);
  const log = await db.rows<{ sequence: number; version: number }>(logText, [workspaceId]);
  const all = Array.from({ length: last }, (_, place) => place + 1);
  assert.equal(
    log.map(({ version }) => version),
    all,
  );
  const first = log[0]?.sequence ?? 0;
  assert.equal(
    log.map(({ sequence }) => sequence - first + 1),
    all,
  );
}

interface Writer {
  /** The numbers to which it counted. */
  counted: number[];
  stop(): Promise<void>;
}

/** Counts up until it is stopped. Of what is refused, nothing was done: no connection is lost. */
function startWriter(run: () => Promise<number>): Writer {
  const counted: number[] = [];
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      try {
        counted.push(await run());
      } catch (error) {
        // A move keeps those who write waiting, some for too long.
        if (!isUnavailable(error)) throw error;
      }
    }
  };
  const writing = write();
  writing.catch(() => {});
  return {
    counted,
    stop: () => {
      isOver = true;
      return writing;
    },
  };
}

const workers = `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeport`;
const move = `select citus_move_shard_placement(get_shard_id_for_distribution_column('todos', $1::uuid), $2, $3, $4, $5, 'block_writes')`;

/** Moves the shards of a workspace to the other worker. */
async function moveAway({ workspaceId }: Tenant): Promise<void> {
  const { driver } = cluster.db;
  const nodes = await driver.unsafe<{ host: string; port: number }[]>(workers);
  const at = await portOf(cluster.db, workspaceId);
  const [from, to] = [nodes.find(({ port }) => port === at), nodes.find(({ port }) => port !== at)];
  assert.ok(from && to, 'the cluster has two workers');
  const isMoved = () =>
    driver.unsafe(move, [workspaceId, from.host, from.port, to.host, to.port]).catch((error: unknown) => {
      // What was left by the move before is dropped only while nobody reads it.
      if (!/could not be cleaned up/.test(String(error))) throw error;
    });
  await until(isMoved);
}

/** Writers on the worker and through the coordinator, in one statement and in a transaction. */
function startWriters(tenant: Tenant): Writer[] {
  const { db } = cluster;
  const ofWorkspace = db.of(tenant.workspaceId);
  return [
    startWriter(() => countUp(ofWorkspace, tenant)),
    startWriter(() => countUp(ofWorkspace, tenant)),
    startWriter(() => countUp(db, tenant)),
    startWriter(() => db.transaction((tx) => countUp(tx, tenant))),
  ];
}

async function checkCounted(tenant: Tenant, writers: readonly Writer[]): Promise<void> {
  const counted = writers.flatMap((each) => each.counted).sort((a, b) => a - b);
  assert.equal(
    counted,
    counted.map((_, place) => place + 1),
  );
  assert.is(await countOf(tenant), counted.length);
  await checkLog(tenant, counted.length);
}

promise('none is lost or doubled while shards move, and events have the order of the commits', async () => {
  const tenant = await openCounter();
  await until(() => isDirect(tenant));
  const writers = startWriters(tenant);
  try {
    for (let turn = 0; turn < 4; turn++) {
      const before = writers.map(({ counted }) => counted.length);
      await until(() => writers.every(({ counted }, n) => counted.length > (before[n] ?? 0) + 5));
      await moveAway(tenant);
      await until(() => isDirect(tenant));
    }
  } finally {
    for (const writer of writers) await writer.stop();
  }
  await checkCounted(tenant, writers);
});

promise('so it is where a workspace gets a shard of its own', async () => {
  const tenant = await openCounter();
  await until(() => isDirect(tenant));
  const writers = startWriters(tenant);
  const isolate = `select isolate_tenant_to_new_shard('workspaces', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`;
  try {
    await until(() => writers.every(({ counted }) => counted.length > 5));
    await cluster.db.driver.unsafe(isolate, [tenant.workspaceId]);
    const before = writers.map(({ counted }) => counted.length);
    await until(() => writers.every(({ counted }, n) => counted.length > (before[n] ?? 0) + 5));
    await until(() => isDirect(tenant));
  } finally {
    for (const writer of writers) await writer.stop();
  }
  await checkCounted(tenant, writers);
});

promise('one for a shard that has left is made where it is now, and not where it was', async () => {
  const tenant = await openCounter();
  await until(() => isDirect(tenant));
  await moveAway(tenant);
  const before = direct;
  assert.is(await countUp(cluster.db.of(tenant.workspaceId), tenant), 1);
  // It was sent to the worker of before, which refused it.
  assert.is(direct, before + 1);
  assert.is(await countOf(tenant), 1);
  await checkLog(tenant, 1);
});

promise('one that the database refuses is refused as through the coordinator', async () => {
  const tenant = await openCounter();
  await until(() => isDirect(tenant));
  const text = 'insert into todo_lists (workspace_id, id, name, is_default) values ($1, $2, $3, true)';
  const insert = (db: Db) =>
    db.rows(text, [tenant.workspaceId, crypto.randomUUID(), 'Another']).then(
      () => 'made',
      (error: Error) => error.message,
    );
  const refused = await insert(cluster.db);
  assert.match(refused, /violates unique constraint/);
  assert.is(await insert(cluster.db.of(tenant.workspaceId)), refused);
});

for (const isPassed of [false, true]) {
  const name = isPassed ? 'has arrived' : 'is lost on the way';
  promise(`one whose connection is lost when it ${name} is unavailable, and not made again`, async () => {
    const tenant = await openCounter();
    const db = cluster.db.of(tenant.workspaceId);
    await until(() => isDirect(tenant));
    const passage = passages.get(await portOf(cluster.db, tenant.workspaceId));
    assert.ok(passage);
    // The statement and its COMMIT are in one piece once the text is prepared.
    for (let place = 0; place < 8; place++) await countUp(db, tenant);
    const before = await countOf(tenant);
    const isMet = Promise.withResolvers<void>();
    passage.meet('commit', (chunk) => {
      queueMicrotask(() => passage.stall());
      isMet.resolve();
      return isPassed ? chunk : undefined;
    });
    const cutting = isMet.promise.then(async () => {
      if (isPassed) await untilWorkerHas(passage.worker, tenant, before + 1);
      await passage.cut();
    });
    const fault = await countUp(db, tenant).catch((error: unknown) => error);
    assert.ok(isUnavailable(fault), String(fault));
    await cutting;
    await passage.mend();
    await until(async () => (await countOf(tenant).catch(() => -1)) === before + (isPassed ? 1 : 0));
    await until(() => isDirect(tenant).catch(() => false));
    const after = await countUp(db, tenant);
    assert.is(after, before + (isPassed ? 2 : 1));
    await checkLog(tenant, after);
  });
}

test.run();
