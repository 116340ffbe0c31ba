import type { Database, Db, Plan } from '../../db/client.ts';

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

/** Executes a statement as the service plans it. Returns the buffers of 8 KiB that it read, and its plan. */
export async function buffersOf({ driver }: Database, { text, values, plan }: PlannedStatement) {
  const [row] = await driver.begin(async (sql) => {
    await sql.unsafe(`set local jit = off; set local plan_cache_mode = force_${plan}_plan`);
    await sql.unsafe(`prepare explained as ${text}`);
    const given = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : '';
    const found = await sql.unsafe(`explain (analyze, buffers, timing off, format json) execute explained ${given}`);
    await sql.unsafe('deallocate explained');
    return found as unknown as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
  });
  const found = row?.['QUERY PLAN'][0]?.Plan;
  if (!found) throw new Error('PostgreSQL explained nothing');
  return { buffers: found['Shared Hit Blocks'] + found['Shared Read Blocks'], plan: found };
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
export async function isVacuumed({ driver }: Database, tables: readonly string[]): Promise<boolean> {
  await driver.unsafe(`vacuum analyze ${tables.join(', ')}`);
  const rows =
    await driver`select 1 from pg_class where relname = any(${tables as string[]}) and relallvisible < relpages`;
  return rows.length === 0;
}
