import { channel } from 'node:diagnostics_channel';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isUnavailable } from '../../db/errors.ts';
import { distributedDatabase, onCluster, openTenant, portOf, type Tenant } from '../support/citus.ts';
import { until } from '../support/until.ts';

/* Reads of a workspace on the worker that has it (db/direct-reads.ts), while its shards move from one worker to another. */

const test = suite('reads on the workers of Citus');
const promise = onCluster(test);

let cluster: Awaited<ReturnType<typeof distributedDatabase>>;
/** Statements that named a shard of workspaces. */
let direct = 0;
const count = (text: unknown) => {
  if (/\bworkspaces_\d+\b/.test(String(text))) direct++;
};

if (promise === test) {
  test.before(async () => {
    channel('tandem:statement').subscribe(count);
    cluster = await distributedDatabase();
  });
  test.after(async () => {
    channel('tandem:statement').unsubscribe(count);
    await cluster?.remove();
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
  await cluster.db.driver.unsafe(move, [workspaceId, from.host, from.port, to.host, to.port]);
}

async function nameOf({ workspaceId }: Tenant): Promise<string | undefined> {
  const text = 'select name from workspaces where id = $1';
  const [row] = await cluster.db.of(workspaceId).rows<{ name: string }>(text, [workspaceId]);
  return row?.name;
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
  const isDirect = async () => {
    const before = direct;
    await nameOf(tenant);
    return direct > before;
  };
  await until(isDirect);
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
      await until(isDirect);
    }
  } finally {
    isOver = true;
    await writing;
  }
});

promise('a workspace of which another process makes a shard of its own is read there', async () => {
  const tenant = await openTenant(cluster.db);
  await until(async () => (await nameOf(tenant)) === 'One');
  const isolate = `select isolate_tenant_to_new_shard('workspaces', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`;
  await cluster.db.driver.unsafe(isolate, [tenant.workspaceId]);
  assert.is(await nameOf(tenant), 'One');
});

promise('other workspaces, and changes, go to the coordinator', async () => {
  const [one, other] = [await openTenant(cluster.db), await openTenant(cluster.db)];
  await until(async () => {
    const before = direct;
    await nameOf(one);
    return direct > before;
  });
  const before = direct;
  const text = 'select name from workspaces where id = $1';
  assert.equal([...(await cluster.db.of(one.workspaceId).rows(text, [other.workspaceId]))], [{ name: 'One' }]);
  assert.is(direct, before);
});

test.run();
