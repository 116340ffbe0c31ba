import type { Db } from './client.ts';

/** The parts of a select that differ between a search in all workspaces and a lock in one. */
export interface Search {
  /** ` and …`: in one workspace; else empty. */
  within: (workspaceColumn: string) => string;
  /** The clause that locks, such as `for update skip locked`; empty where nothing is locked. */
  lock: (clause: string) => string;
  limit: number;
}

/** How many rows are looked at on Citus for each that is wanted: others may hold the first. */
const spare = 8;

/**
 * Locks rows of any workspace: one statement on PostgreSQL. Citus locks within one workspace: the rows are looked for
 * first, and then locked, if they are there still, workspace by workspace until there are `limit`.
 */
export async function lockAnywhere<Row extends { workspaceId: string }>(
  tx: Db,
  select: (search: Search) => string,
  values: readonly unknown[],
  limit: number,
): Promise<Row[]> {
  const lock = (clause: string) => clause;
  if (tx.engine === 'postgres') return tx.rows<Row>(select({ within: () => '', lock, limit }), values);
  const candidates = await tx.rows<Row>(select({ within: () => '', lock: () => '', limit: limit + spare }), values);
  const workspace = `$${values.length + 1}`;
  const text = select({ within: (column) => ` and ${column} = ${workspace}::uuid`, lock, limit });
  const locked: Row[] = [];
  for (const workspaceId of new Set(candidates.map((each) => each.workspaceId))) {
    if (locked.length < limit) locked.push(...(await tx.rows<Row>(text, [...values, workspaceId])));
  }
  return locked.slice(0, limit);
}
