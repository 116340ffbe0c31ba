import type postgres from 'postgres';
import type { Db } from './client.ts';
import { DistributionError, requireNodes, requirePlaced } from './engine/cluster.ts';
import type { EngineName } from './engine/index.ts';

const detection = `select exists (select from pg_extension where extname = 'citus') as "isCitus"`;

/** The engine of the database of a connection: Citus where its extension was made in the database. */
export async function engineOn(sql: postgres.Sql): Promise<EngineName> {
  const [row] = await sql.unsafe<{ isCitus: boolean }[]>(detection);
  return row?.isCitus ? 'citus' : 'postgres';
}

/** SQLSTATE of a server that cannot serve yet: the start waits for it. */
const cannotConnectNow = '57P03';

// Null where the node that is to check cannot be reached itself.
const unreachable = `select to_nodename || ':' || to_nodeport as name from citus_check_cluster_node_health()
  where result is false group by 1 order by 1`;

/**
 * Checks that the cluster can serve: its nodes are known and reachable, and every table is where it belongs.
 * @throws DistributionError that says what is wrong; with the code of an unavailable database where waiting may mend
 * it.
 */
export async function requireDistributed(sql: postgres.Sql): Promise<void> {
  await requireNodes(sql);
  const nodes = await sql.unsafe<{ name: string }[]>(unreachable);
  if (nodes.length > 0) {
    const names = nodes.map(({ name }) => name).join(', ');
    const error = new DistributionError(`These nodes of the cluster cannot be reached from others: ${names}.`);
    throw Object.assign(error, { code: cannotConnectNow });
  }
  await requirePlaced(sql);
}

/**
 * What is wrong with the cluster as its coordinator knows it, in words; undefined on PostgreSQL, and where nothing is.
 * A worker that cannot be reached is no fault of the service: the workspaces of the others are served.
 */
export async function clusterFault(db: Pick<Db, 'engine' | 'rows'>): Promise<string | undefined> {
  if (db.engine === 'postgres') return undefined;
  try {
    await requirePlaced({ unsafe: (text, values = []) => db.rows(text, values) });
    return undefined;
  } catch (error) {
    if (error instanceof DistributionError) return error.message;
    throw error;
  }
}
