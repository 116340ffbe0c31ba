import { getTableName, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../schema/index.ts';

/**
 * Where Citus stores a table. `distributed`: divided by workspace among the workers. `reference`: whole on every node,
 * to be joined with any workspace. `local`: on the coordinator alone.
 */
export type Placement = 'distributed' | 'reference' | 'local';

export interface Placed {
  name: string;
  placement: Placement;
}

/**
 * Found by the hash of a secret or by a person, before the workspace is known, and joined with tables of workspaces.
 */
const references = ['users', 'members', 'connected_apps', 'credentials'];

/**
 * The log, which is read across workspaces, and numbers that are not kept on Citus. What waits for its number is beside
 * the change that it records: a change commits on one node.
 */
const ofCoordinator = ['event_positions', 'events', 'counted_workspaces', 'todo_counts', 'todo_count_changes'];

function placementOf(table: PgTable): Placement {
  const name = getTableName(table);
  if (references.includes(name)) return 'reference';
  const isTenants = getTableConfig(table).columns.some((column) => column.name === 'workspace_id');
  return name === 'workspaces' || (isTenants && !ofCoordinator.includes(name)) ? 'distributed' : 'local';
}

function placedOf(table: PgTable): Placed {
  return { name: getTableName(table), placement: placementOf(table) };
}

/** Every table of the schema by its name. */
export const placements: ReadonlyMap<string, Placed> = new Map(
  Object.values(schema)
    .filter((each) => is(each, PgTable))
    .map((table) => placedOf(table as PgTable))
    .map((each) => [each.name, each]),
);
