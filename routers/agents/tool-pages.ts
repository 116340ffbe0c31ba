import type { Db } from '../../db/client.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';

interface Made {
  id: string;
  createdAt: string;
}

interface Listing {
  db: Db;
  /** What the cursor belongs to. */
  scope: CursorScope;
  limit: number;
  cursor: string | undefined;
  /** Values of the statement after `$1`, the workspace. */
  values: readonly unknown[];
}

/**
 * A page of rows, newest first. `select` is the statement up to its conditions, on a relation `alias` with `created_at`
 * and `id`; it answers `id` and `createdAt`. @throws Failure 400 `invalid_cursor`.
 */
export async function newestFirst<Row extends Made>(select: string, alias: string, listing: Listing) {
  const { db, scope, limit, cursor, values } = listing;
  const bound: unknown[] = [scope.workspaceId, ...values];
  const after = cursor === undefined ? [] : positionOf(scope, cursor);
  const [at, id] = after.map((value) => `$${bound.push(value)}`);
  const older = at && id ? `and (${alias}.created_at, ${alias}.id) < (${at}::timestamptz, ${id}::uuid)` : '';
  const text = `${select} ${older} order by ${alias}.created_at desc, ${alias}.id desc limit $${bound.push(limit + 1)}`;
  const rows = await db.rows<Row>(text, bound);
  return pageOf(rows, limit, scope, (row) => [row.createdAt, row.id]);
}
