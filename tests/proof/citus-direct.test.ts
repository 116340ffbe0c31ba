import { channel } from 'node:diagnostics_channel';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isUnavailable } from '../../db/errors.ts';
import { distributedDatabase, onCluster, openTenant, portOf, type Tenant } from '../support/citus.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until } from '../support/until.ts';

/*
 * Reads of a workspace on the worker that has it (db/direct-statements.ts), while its shards move from one worker to
 * another.
 */

const test = suite('reads on the workers of Citus');
const promise = onCluster(test);

let cluster: Awaited<ReturnType<typeof distributedDatabase>>;
/** The ways to the workers by the ports at which these are known. `worker`: its own port. */
const passages = new Map<number, Passage & { worker: number }>();
const nameText = 'select name from workspaces where id = $1';
/** Statements that named a shard of workspaces, and reads of names that did not. */
let [direct, others] = [0, 0];
const count = (text: unknown) => {
  if (/\bworkspaces_\d+\b/.test(String(text))) direct++;
  if (text === nameText) others++;
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
  });
  test.after(async () => {
    channel('tandem:statement').unsubscribe(count);
    await cluster?.remove();
    for (const passage of passages.values()) await passage.close();
  });
}

const workers = `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeport`;
const move = `select citus_move_shard_placement(get_shard_id_for_distribution_column('todos', $1::uuid), $2, $3, $4, $5, 'block_writes')`;

/** Moves the shards of a workspace to the other worker. */
async function moveAway({ workspaceId }: Tenant): Promise<void> {
  const nodes = await cluster.db.driver.unsafe<{ host: string; port: number }[]>(workers);
  const at = await portOf(cluster.db, workspaceId);
  const [from, to] = [nodes.find(({ port }) => port === at), nodes.find(({ port }) => port !== at)];
  assert.ok(from && to, 'the cluster has two workers');
  const isMoved = () =>
    cluster.db.driver.unsafe(move, [workspaceId, from.host, from.port, to.host, to.port]).catch((error: unknown) => {
      // What was left by the move before is dropped only while nobody reads it.
      if (!/could not be cleaned up/.test(String(error))) throw error;
    });
  await until(isMoved);
}

async function nameOf({ workspaceId }: Tenant): Promise<string | undefined> {
  const [row] = await cluster.db.of(workspaceId).rows<{ name: string }>(nameText, [workspaceId]);
  return row?.name;
}

/** Whether a worker is asked for its name, and answers. */
async function isDirect(tenant: Tenant): Promise<boolean> {
  const before = [direct, others];
  await nameOf(tenant);
  return direct > (before[0] ?? 0) && others === before[1];
}

/** Whether the workspace got the name. */
async function rename({ workspaceId }: Tenant, name: string): Promise<boolean> {
  const text = 'update workspaces set name = $2 where id = $1';
  try {
    await cluster.db.of(workspaceId).rows(text, [workspaceId, name]);
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}

promise('a workspace is read on its worker, and what was written last is read while its shards move', async () => {
  const tenant = await openTenant(cluster.db);
  await until(() => isDirect(tenant));
  let isOver = false;
  const write = async () => {
    for (let turn = 0; !isOver; turn++) {
      // A move keeps those who write waiting, some for too long.
      await until(() => rename(tenant, `name ${turn}`));
      assert.is(await nameOf(tenant), `name ${turn}`);
    }
  };
  const writing = write();
  writing.catch(() => {});
  try {
    for (let turn = 0; turn < 4; turn++) {
      await moveAway(tenant);
      await until(() => isDirect(tenant));
    }
  } finally {
    isOver = true;
    await writing;
  }
});

promise('a workspace of which another process makes a shard of its own is read there', async () => {
  const tenant = await openTenant(cluster.db);
  await until(() => isDirect(tenant));
  const isolate = `select isolate_tenant_to_new_shard('workspaces', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`;
  await cluster.db.driver.unsafe(isolate, [tenant.workspaceId]);
  await until(() => rename(tenant, 'Isolated'));
  assert.is(await nameOf(tenant), 'Isolated');
  await until(() => isDirect(tenant));
  assert.is(await nameOf(tenant), 'Isolated');
});

promise('statements of other workspaces go to the coordinator', async () => {
  const [one, other] = [await openTenant(cluster.db), await openTenant(cluster.db)];
  await until(() => isDirect(one));
  const before = direct;
  assert.equal([...(await cluster.db.of(one.workspaceId).rows(nameText, [other.workspaceId]))], [{ name: 'One' }]);
  await cluster.db
    .of(one.workspaceId)
    .rows('update workspaces set name = $2 where id = $1', [other.workspaceId, 'New']);
  assert.is(direct, before);
  assert.is(await nameOf(other), 'New');
});

promise('a workspace whose worker got another address is read there', async () => {
  const tenant = await openTenant(cluster.db);
  await until(() => isDirect(tenant));
  const port = await portOf(cluster.db, tenant.workspaceId);
  const before = passages.get(port);
  assert.ok(before);
  const after = await openWorker(before.worker);
  // Citus 13.2 crashes where the function reads the row itself.
  const [node] = await cluster.db.driver.unsafe('select nodeid as id from pg_dist_node where nodeport = $1', [port]);
  await cluster.db.driver.unsafe('select citus_update_node($1, $2, $3)', [node?.id, '127.0.0.1', after]);
  await before.cut();
  await until(() => isDirect(tenant));
});

promise('a read that waited for a silent worker is not begun again at the coordinator', async () => {
  const tenant = await openTenant(cluster.db);
  await until(() => isDirect(tenant));
  const passage = passages.get(await portOf(cluster.db, tenant.workspaceId));
  assert.ok(passage);
  passage.stall();
  const before = [direct + 1, others];
  const error = await nameOf(tenant).catch((fault: unknown) => fault);
  assert.ok(isUnavailable(error), String(error));
  assert.equal([direct, others], before);
  // All connections are lost, and with them what the passage did not pass on.
  await passage.cut();
  await passage.mend();
  await until(async () => (await nameOf(tenant).catch(() => '')) === 'One');
});

test.run();
