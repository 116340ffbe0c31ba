import postgres from 'postgres';
import type { Database, Db, Plan } from '../../db/client.ts';
import { findPlace } from '../../db/direct-statements.ts';
import { directOf } from '../../db/engine/direct.ts';
import type { EngineName } from '../../db/engine/index.ts';

/** A node of a plan that was executed, as PostgreSQL explains it. */
export interface PlanNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Plan Rows': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** A node with all below it. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** A statement as the service runs it. */
export interface PlannedStatement {
  text: string;
  values: readonly unknown[];
  plan: Plan;
}

/** A value as a literal, whose type the statement knows. */
export function literalOf(value: unknown): string {
  if (value === null) return 'null';
  const text = Array.isArray(value) ? `{${value.join()}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

type Explained = { 'QUERY PLAN': { Plan: PlanNode }[] }[];

/** The plan of a statement that was explained on the coordinator: of its only task, if it runs on a worker. */
interface Distributed extends PlanNode {
  'Distributed Query'?: { Job: { Tasks: { 'Remote Plan': { Plan: PlanNode }[][] }[] } };
}

/** The connections to workers of Citus by their addresses. They end when they are not used. */
const workers = new Map<string, postgres.Sql>();

/**
 * Where a statement runs, and its text there: on Citus, as the service sends it, on the worker of the workspace with
 * the names of its shards, or through the coordinator.
 */
async function placeOf({ driver, engine, rows }: Database, { text, values, plan }: PlannedStatement) {
  const direct = engine === 'citus' ? directOf(text) : null;
  const workspaceId = direct && values[(direct.workspaces[0] ?? 0) - 1];
  // Citus plans a statement with its values.
  if (!direct || typeof workspaceId !== 'string')
    return { sql: driver, text, plan: engine === 'citus' ? 'custom' : plan };
  const { node, shards } = await findPlace(rows, workspaceId);
  const { user, pass, database } = driver.options;
  const address = `${node.name}/${database}`;
  const account = { user, password: pass ?? '', database };
  const open = () => postgres({ host: node.host, port: node.port, ...account, max: 1, idle_timeout: 1 });
  const sql = workers.get(address) ?? open();
  workers.set(address, sql);
  return { sql, text: direct.at(shards), plan };
}

/** Names tables and indexes in a plan in place of their shards. */
function nameTables(plan: PlanNode): PlanNode {
  for (const node of nodesOf(plan)) {
    for (const key of ['Relation Name', 'Index Name'] as const) {
      const shard = node[key];
      if (shard !== undefined) node[key] = shard.replace(/_\d{6,}$/, '');
    }
  }
  return plan;
}

/** Explains a statement as the service plans it. `how`: options of EXPLAIN. */
export async function planOf(database: Database, statement: PlannedStatement, how: string): Promise<PlanNode> {
  const { sql, text, plan } = await placeOf(database, statement);
  const { values } = statement;
  const [row] = await sql.begin(async (tx) => {
    await tx.unsafe(`set local jit = off; set local plan_cache_mode = force_${plan}_plan`);
    await tx.unsafe(`prepare explained as ${text}`);
    const given = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : '';
    const found = await tx.unsafe(`explain (${how}, format json) execute explained ${given}`);
    await tx.unsafe('deallocate explained');
    return found as unknown as Explained;
  });
  const found: Distributed | undefined = row?.['QUERY PLAN'][0]?.Plan;
  const plans = found ? nodesOf(found).map((node: Distributed) => node['Distributed Query']) : [];
  const tasks = plans.flatMap((each) => each?.Job.Tasks ?? []);
  const read = tasks.length > 0 ? tasks[0]?.['Remote Plan'][0]?.[0]?.Plan : found;
  if (!read || tasks.length > 1) throw new Error('PostgreSQL explained nothing, or several tasks');
  return database.engine === 'citus' ? nameTables(read) : read;
}

/** Executes a statement as the service plans it. Returns the buffers of 8 KiB that it read, and its plan. */
export async function buffersOf(database: Database, statement: PlannedStatement) {
  const plan = await planOf(database, statement, 'analyze, buffers, timing off');
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], plan };
}

/**
 * A database that counts the buffers of each statement that it runs, by running it twice. `isTransaction`: with the
 * plans of a transaction, which are made without values.
 */
export function measured(database: Database, isTransaction = false): { db: Db; buffers: () => number } {
  let sum = 0;
  const rows: Db['rows'] = async (text, values, asked = 'generic') => {
    const plan = isTransaction ? 'generic' : asked;
    sum += (await buffersOf(database, { text, values, plan })).buffers;
    return database.rows(text, values, plan);
  };
  const db: Db = { ...database, engine: database.engine, rows, lookUp: (text, values) => rows(text, values) };
  return { db, buffers: () => sum };
}

/**
 * Vacuums tables; whether each of their pages is then marked as visible to all, so that indexes alone can be read. A
 * transaction that was open meanwhile prevents it.
 */
export async function isVacuumed({ driver, engine }: Database, tables: readonly string[]): Promise<boolean> {
  await driver.unsafe(`vacuum analyze ${tables.join(', ')}`);
  const unmarked = 'select count(*) from pg_class where relallvisible < relpages and';
  const counts: Record<EngineName, string> = {
    postgres: `${unmarked} relname = any($1)`,
    citus: `select coalesce(sum(r.result::int), 0) as count from unnest($1::text[]) t(name),
      run_command_on_shards(t.name::regclass, $c$${unmarked} oid = '%s'::regclass$c$) r`,
  };
  const [row] = await driver.unsafe(counts[engine], [tables as string[]]);
  return Number(row?.count) === 0;
}
