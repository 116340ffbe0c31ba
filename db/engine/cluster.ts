import { type Placed, placements } from './placement.ts';

/** The database is not distributed, or cannot be. The message is for a person. */
export class DistributionError extends Error {
  override readonly name = 'DistributionError';
}

/** What runs one statement. */
export interface Sql {
  unsafe(text: string, values?: string[]): Promise<unknown>;
}

export async function rows<Row>(sql: Sql, text: string, values: string[] = []): Promise<Row[]> {
  return (await sql.unsafe(text, values)) as unknown as Row[];
}

const oldestCitus = 13;

/** @throws DistributionError without Citus or its workers, or with an old one. */
export async function requireNodes(sql: Sql): Promise<void> {
  const [found] = await rows<{ version: string }>(
    sql,
    `select extversion as version from pg_extension where extname = 'citus'`,
  );
  if (!found) {
    throw new DistributionError(
      'The database has no Citus: run `create extension citus` in it, on the coordinator and on every worker.',
    );
  }
  if (Number.parseInt(found.version, 10) < oldestCitus) {
    throw new DistributionError(
      `The database has Citus ${found.version}, and Tandem needs Citus ${oldestCitus} or newer. Upgrade it on every node.`,
    );
  }
  const nodes = await rows<{ name: string; isActive: boolean; isCoordinator: boolean }>(
    sql,
    `select nodename || ':' || nodeport as name, isactive as "isActive", groupid = 0 as "isCoordinator"
      from pg_dist_node where noderole = 'primary'`,
  );
  if (!nodes.some(({ isCoordinator }) => isCoordinator)) {
    throw new DistributionError(
      'The coordinator has no address in the cluster: run `select citus_set_coordinator_host(HOST, PORT)` in the database.',
    );
  }
  if (nodes.every(({ isCoordinator }) => isCoordinator)) {
    throw new DistributionError('The cluster has no workers: run `select citus_add_node(HOST, PORT)` for each.');
  }
  const inactive = nodes.filter(({ isActive }) => !isActive).map(({ name }) => name);
  if (inactive.length > 0) throw new DistributionError(`These nodes are not active: ${inactive.join(', ')}.`);
}

/** Tables of the schema that are in the database, with how Citus has them now. */
async function presentTables(sql: Sql): Promise<(Placed & { current: string })[]> {
  const found = await rows<{ name: string; current: string }>(
    sql,
    `select c.relname as name, case p.partmethod when 'h' then 'distributed' when 'n' then 'reference' else 'local' end as current
      from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  );
  return found.flatMap(({ name, current }) => {
    const placed = placements.get(name);
    return placed ? [{ ...placed, current }] : [];
  });
}

/** The tables whose place is not the one that they should have. */
export async function misplacedTables(sql: Sql): Promise<Placed[]> {
  return (await presentTables(sql)).filter(({ placement, current }) => placement !== current);
}

/**
 * Checks what the coordinator knows: its nodes, and that every table is where it belongs.
 * @throws DistributionError that says what is wrong.
 */
export async function requirePlaced(sql: Sql): Promise<void> {
  await requireNodes(sql);
  const misplaced = await misplacedTables(sql);
  if (misplaced.length === 0) return;
  const names = misplaced.map(({ name, placement }) => `${name} (${placement})`).join(', ');
  throw new DistributionError(
    `The database has Citus, and these tables are not where they belong: ${names}. Run \`npm run db:distribute\`, in the image \`node dist/server/distribute.mjs\`.`,
  );
}
