import postgres from 'postgres';
import type { Test } from 'uvu';
import { connect, type Database } from '../../db/client.ts';
import { distributeTables } from '../../db/engine/distribute.ts';
import { migrate } from '../../db/migrate.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { createOnCluster, type Node } from '../../scripts/tests/cluster.ts';

/** The coordinator of the cluster of the run, if there is one. */
const { TEST_CITUS_URL: url } = process.env;

/** `test` where the run has a cluster; else it skips, and says what is missing. */
export function onCluster(test: Test): Test | Test['skip'] {
  if (url) return test;
  process.stdout.write('Skipped: set TEST_CITUS_URL to the coordinator of a Citus cluster (docs/scale.md).\n');
  return test.skip;
}

/** `test` where the run has no cluster; else it skips, and says why what it looks at is another thing there. */
export function notOnCluster(test: Test, reason: string): Test | Test['skip'] {
  if (!url) return test;
  process.stdout.write(`Skipped on Citus: ${reason}.\n`);
  return test.skip;
}

/** Runs statements in a transaction that may give triggers to tables, also to those that are on workers. */
export async function withTriggers({ driver }: Database, texts: readonly string[]): Promise<void> {
  await driver.begin(async (tx) => {
    // Citus passes the text of a trigger on as it is: each is sent alone.
    for (const text of ['set local citus.enable_unsafe_triggers = on', ...texts]) await tx.unsafe(text);
  });
}

/**
 * An empty database on the cluster, which is not distributed. `via`: gives the address at which a worker is known.
 * `more`: workers that only this database has.
 */
export function clusterDatabase(via?: (port: number) => Promise<number>, more: readonly Node[] = []) {
  if (!url) throw new Error('The run has no cluster');
  return createOnCluster(url, via, more);
}

/** A database on the cluster with distributed tables in few shards, and connections to it. */
export async function distributedDatabase(via?: (port: number) => Promise<number>, more: readonly Node[] = []) {
  const { url: address, drop } = await clusterDatabase(via, more);
  const sql = postgres(address, { max: 2, onnotice: () => {} });
  await migrate(sql);
  const connection = await sql.reserve();
  await connection.unsafe('set citus.shard_count = 4');
  await distributeTables(connection);
  connection.release();
  await sql.end();
  const db = connect(address, { engine: 'citus', poolSize: 4 });
  const remove = async () => {
    await db.close();
    await drop();
  };
  return { url: address, db, remove };
}

/** A workspace with a key, and the port at which its worker is known. */
export interface Tenant {
  workspaceId: string;
  key: string;
  port: number;
}

const nodeOf = `select nodeport as port from pg_dist_shard_placement
  where shardid = get_shard_id_for_distribution_column('todos', $1::uuid)`;

/** The port at which the worker of a workspace is known. */
export async function portOf({ driver }: Database, workspaceId: string): Promise<number> {
  const [node] = await driver.unsafe<{ port: number }[]>(nodeOf, [workspaceId]);
  return node?.port ?? 0;
}

/** A new workspace. */
export async function openTenant(db: Database, agentMinutes = 0): Promise<Tenant> {
  const person = { userName: 'Ada', email: `${crypto.randomUUID()}@example.com`, passwordHash: '', timezone: 'UTC' };
  const { workspaceId, userId } = await createWorkspace(db, { ...person, workspaceName: 'One', agentMinutes });
  const seed = { workspaceId, userId, name: 'key', scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  const { secret: key } = await createApiKey(db, seed);
  return { workspaceId, key, port: await portOf(db, workspaceId) };
}

/** The ids of the todos of a workspace by their titles, as the database has them, in the order of the titles. */
export async function todosByTitle(db: Database, { workspaceId }: Tenant): Promise<[title: string, ids: string[]][]> {
  const text = 'select id, title from todos where workspace_id = $1 order by title collate "C"';
  const rows = await db.rows<{ id: string; title: string }>(text, [workspaceId]);
  return [...Map.groupBy(rows, ({ title }) => title)].map(([title, found]) => [title, found.map(({ id }) => id)]);
}
