import { DistributionError, misplacedTables, requireNodes, rows, type Sql } from './cluster.ts';
import { type Placed, placements } from './placement.ts';
import { replaceRefused } from './replacements.ts';

/** The table to which the others are colocated: every key begins with its id. */
const tenants = 'workspaces';

/**
 * A reference table cannot refer to a distributed one. The service writes members of workspaces that are there only.
 */
const refused: ReadonlySet<string> = new Set(['members_workspace_fk']);

/**
 * Triggers of distributed tables run on each shard. Their functions read and write only the rows of the same workspace,
 * which are on the same node: Citus runs these there, in the transaction of the trigger.
 */
const sessionSettings = [
  `set citus.multi_shard_modify_mode = 'sequential'`,
  'set citus.enable_unsafe_triggers = on',
  'set client_min_messages = warning',
];

interface ForeignKey {
  name: string;
  table: string;
  definition: string;
}

/** Foreign keys from or to these tables. */
function foreignKeys(sql: Sql, names: readonly string[]): Promise<ForeignKey[]> {
  return rows(
    sql,
    `select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace
        and (conrelid::regclass::text = any($1::text[]) or confrelid::regclass::text = any($1::text[])) order by conname`,
    [`{${names.join(',')}}`],
  );
}

async function place(sql: Sql, { name, placement }: Placed): Promise<void> {
  if (placement === 'reference') await sql.unsafe(`select create_reference_table('${name}')`);
  else if (name === tenants) {
    await sql.unsafe(`select create_distributed_table('${name}', 'id', colocate_with => 'none')`);
  } else await sql.unsafe(`select create_distributed_table('${name}', 'workspace_id', colocate_with => '${tenants}')`);
}

/** The tables in the order in which they are placed: the one that the others are colocated with first. */
function ordered(tables: readonly Placed[]): Placed[] {
  const rank = ({ name, placement }: Placed) => (placement === 'reference' ? 0 : name === tenants ? 1 : 2);
  return tables.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/**
 * Places the tables of a migrated database on the nodes of Citus, all in one transaction, with their rows. Tables that
 * are in their place stay as they are, so it may be run again. Returns what it did, a line for each table.
 * @throws DistributionError when the cluster is not ready.
 */
export async function distributeTables(sql: Sql): Promise<string[]> {
  await requireNodes(sql);
  await prepareSession(sql);
  const misplaced = await misplacedTables(sql);
  const wrong = misplaced.find(({ placement }) => placement === 'local');
  if (wrong) throw new DistributionError(`The table ${wrong.name} is distributed, and has to be local.`);
  await sql.unsafe('begin');
  try {
    const keys = await foreignKeys(
      sql,
      misplaced.map(({ name }) => name),
    );
    for (const { table, name } of keys) await sql.unsafe(`alter table ${table} drop constraint ${name}`);
    // Before the rows are copied: the triggers of a table run then, on the workers.
    const replaced = await replaceRefused(sql);
    for (const table of ordered(misplaced)) await place(sql, table);
    const kept = keys.filter(({ name }) => !refused.has(name));
    for (const { table, name, definition } of kept) {
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    }
    await sql.unsafe('commit');
    const dropped = keys.filter(({ name }) => refused.has(name));
    return [
      ...ordered(misplaced).map(({ name, placement }) => `${name}: ${placement}`),
      ...dropped.map(({ table, name }) => `${table}: the foreign key ${name} was dropped`),
      ...replaced.map((name) => `${name} was replaced`),
    ];
  } catch (error) {
    await sql.unsafe('rollback').catch(() => undefined);
    throw error;
  }
}

const isPlaced = `select to_regclass('pg_dist_partition') is not null as "hasCitus"`;
const hasTenants = `select exists (select from pg_dist_partition where logicalrelid = to_regclass('${tenants}')) as "isDone"`;

/** Whether the tables of the database are distributed. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  const [citus] = await rows<{ hasCitus: boolean }>(sql, isPlaced);
  if (!citus?.hasCitus) return false;
  const [found] = await rows<{ isDone: boolean }>(sql, hasTenants);
  return found?.isDone ?? false;
}

/** Prepares a session to migrate a distributed database. */
export async function prepareSession(sql: Sql): Promise<void> {
  for (const setting of sessionSettings) await sql.unsafe(setting);
}

/** Places the table that a statement of a migration has made, before the next one gives it foreign keys. */
export async function placeMade(sql: Sql, statement: string): Promise<void> {
  const [, name = ''] = /^\s*(?:--[^\n]*\n\s*)*create (?:unlogged )?table "?(\w+)"?/i.exec(statement) ?? [];
  const placed = placements.get(name);
  if (placed && placed.placement !== 'local') await place(sql, placed);
}
