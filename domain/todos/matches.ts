import type { Db } from '../../db/client.ts';
import type { Criteria, Viewer } from './filter.ts';
import { lockTodos } from './rows.ts';
import { over } from './summary.ts';

/** Which todos of a filter are wanted: the first `limit` after an id, in the order of the ids. */
interface Wanted {
  viewer: Viewer;
  criteria: Criteria;
  after: string | null;
  limit: number;
}

/** The ids of the todos that a filter matches now; of `among` only, where that is given. */
async function matchesOf(db: Db, { viewer, criteria, after, limit }: Wanted, among?: readonly string[]) {
  const { text, values } = over('t.id, count(*) over ()::int as count', viewer, criteria, (bind) => {
    const parts = [after === null ? '' : `and t.id > ${bind(after)}`];
    if (among) parts.push(`and t.id = any(${bind(among)}::uuid[])`);
    return `${parts.join(' ')} order by t.id limit ${bind(limit)}`;
  });
  const rows = await db.rows<{ id: string; count: number }>(text, values, 'custom');
  return { ids: rows.map(({ id }) => id), count: rows[0]?.count ?? 0 };
}

/** The todos that were locked, of all that a filter matches. */
export interface Matches {
  ids: string[];
  count: number;
  /** The id after which more follow; null when these are the last. */
  next: string | null;
}

/**
 * Locks the first todos that a filter matches, and returns their ids with the number of all that it matches. Those that
 * another writer changed before they were locked, so that they match no more, are left out and not counted.
 */
export async function lockMatches(db: Db, wanted: Wanted): Promise<Matches> {
  const found = await matchesOf(db, wanted);
  if (found.ids.length === 0) return { ...found, next: null };
  await lockTodos(db, wanted.viewer.workspaceId, found.ids);
  const { ids } = await matchesOf(db, wanted, found.ids);
  const next = found.count > found.ids.length ? (found.ids.at(-1) ?? null) : null;
  return { ids, count: found.count - (found.ids.length - ids.length), next };
}
