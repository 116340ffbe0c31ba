import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { distributeTables } from '../../db/engine/distribute.ts';
import { migrate } from '../../db/migrate.ts';
import type { TestDatabases } from './databases.ts';

/** A node of a cluster, as its coordinator knows it. */
export interface Node {
  host: string;
  port: number;
  isCoordinator: boolean;
}

const nodesText = `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node
  where noderole = 'primary' order by groupid`;

/** Few shards: each is a table with its indexes, on each database of a test. */
const shards = 2;

function urlOf(base: string, node: Pick<Node, 'host' | 'port'>, database: string): string {
  const url = new URL(base);
  Object.assign(url, { hostname: node.host, port: String(node.port), pathname: `/${database}` });
  return url.toString();
}

const open = (url: string) => postgres(url, { max: 1, onnotice: () => {} });

/** Runs `work` on a connection to the database. */
async function on<Result>(url: string, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = open(url);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** PostgreSQL waits five seconds for the sessions that it ends, which may not do on a busy machine. */
const maxDrops = 5;

async function dropDatabase(sql: postgres.Sql, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (tries === maxDrops || (error as { code?: unknown }).code !== '55006') throw error;
    }
  }
}

/** The nodes of the cluster whose coordinator is at `url`, the coordinator first. */
function nodesOf(url: string): Promise<Node[]> {
  return on(url, (sql) => sql.unsafe<Node[]>(nodesText));
}

/**
 * Makes an empty database with Citus on every node, and makes these known to the coordinator. Returns its URL there.
 */
async function makeDatabase(
  base: string,
  [coordinator, ...workers]: readonly Node[],
  name: string,
  via = async (port: number) => port,
): Promise<string> {
  if (!coordinator?.isCoordinator) throw new Error('The cluster has no coordinator with an address');
  for (const node of [coordinator, ...workers]) {
    await on(urlOf(base, node, 'postgres'), (sql) => sql.unsafe(`create database ${name}`));
    await on(urlOf(base, node, name), (sql) => sql.unsafe('create extension citus'));
  }
  const url = urlOf(base, coordinator, name);
  await on(url, async (sql) => {
    await sql`select citus_set_coordinator_host(${coordinator.host}, ${coordinator.port})`;
    for (const { host, port } of workers) await sql`select citus_add_node(${host}, ${await via(port)})`;
  });
  return url;
}

/**
 * An empty database of one test on the cluster whose coordinator is at `url`, which is not distributed. `via` gives the
 * port at which each worker is made known; `more` are workers of this database alone.
 */
export async function createOnCluster(
  url: string,
  via = async (port: number) => port,
  more: readonly Node[] = [],
): Promise<{ url: string; drop: () => Promise<void> }> {
  const nodes = [...(await nodesOf(url)), ...more];
  const name = `tandem_test_${randomBytes(6).toString('hex')}`;
  const drop = async () => {
    for (const node of nodes) {
      await on(urlOf(url, node, 'postgres'), (sql) => dropDatabase(sql, name));
    }
  };
  return { url: await makeDatabase(url, nodes, name, via), drop };
}

/** Migrates an empty database of a cluster, and distributes its tables. */
export function distributeEmpty(url: string): Promise<void> {
  return on(url, async (sql) => {
    await migrate(sql);
    const connection = await sql.reserve();
    await connection.unsafe(`set citus.shard_count = ${shards}`);
    await distributeTables(connection);
    connection.release();
  });
}

/** Makes the database whose copies the test files get, migrated and distributed. */
async function makeTemplate(base: string, nodes: readonly Node[], name: string): Promise<void> {
  await distributeEmpty(await makeDatabase(base, nodes, name));
  for (const node of nodes) {
    await on(urlOf(base, node, 'postgres'), async (sql) => {
      await sql.unsafe(`alter database ${name} with allow_connections false`);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    });
  }
}

/**
 * Databases on the Citus cluster whose coordinator is at `url`. Each is copied on every node from one that is
 * distributed: the catalogs of Citus are in the database, and name the same nodes.
 */
export async function openCluster(url: string): Promise<TestDatabases> {
  const nodes = await nodesOf(url);
  const prefix = `tandem_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  await makeTemplate(url, nodes, template);
  const admins = nodes.map((node) => ({ node, sql: open(urlOf(url, node, 'postgres')) }));
  let count = 0;
  const dropEverywhere = (name: string) => Promise.all(admins.map(({ sql }) => dropDatabase(sql, name)));
  return {
    create: async () => {
      const name = `${prefix}_${++count}`;
      const text = `create database ${name} template ${template} strategy file_copy`;
      await Promise.all(admins.map(({ sql }) => sql.unsafe(text)));
      const [coordinator] = nodes;
      return urlOf(url, coordinator as Node, name);
    },
    release: async (database) => {
      await dropEverywhere(new URL(database).pathname.slice(1));
    },
    close: async () => {
      await dropEverywhere(template);
      await Promise.all(admins.map(({ sql }) => sql.end()));
    },
  };
}
