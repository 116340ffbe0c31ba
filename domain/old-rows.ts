import type { Db } from '../db/client.ts';

/** Rows per read, and per transaction that deletes. */
const batch = 500;

/** A row that a walk passes: its key, and whether it is to be deleted. */
interface PassedRow {
  id: string;
  at: string;
  isDue: boolean | null;
  /** From here on rows are not old, where the statement does not end there itself. */
  isYoung?: boolean;
}

/** What is deleted when it is old. `$1` is the workspace, `$2` the days for which rows are kept. */
export interface OldRows {
  /** Passes rows from the oldest on, after the time `$3` and the id `$4`, at most `$5`: `id`, `at`, `isDue`. */
  pass: string;
  /** Deletes those of these ids that are still due, in a transaction of its own. Returns how many. */
  remove(tx: Db, workspaceId: string, days: number, ids: readonly string[]): Promise<number>;
}

/** In SQL: whether an instant is longer ago than rows are kept. */
export const isOld = (instant: string) => `${instant} < now() - make_interval(days => $2::int)`;

/**
 * Deletes the old rows of a workspace in batches, each in a transaction. Rows that are kept are passed over once, and a
 * statement reads no more than a batch. With 0 days nothing is old. Several processes may do so at once. Returns how
 * many were deleted.
 */
export async function deleteOld(db: Db, workspaceId: string, days: number, old: OldRows): Promise<number> {
  if (days === 0) return 0;
  let deleted = 0;
  let last: Pick<PassedRow, 'id' | 'at'> | undefined = { id: '00000000-0000-0000-0000-000000000000', at: '-infinity' };
  while (last) {
    const passed: PassedRow[] = await db.rows<PassedRow>(old.pass, [workspaceId, days, last.at, last.id, batch]);
    const ids = passed.filter(({ isDue }) => isDue).map(({ id }) => id);
    if (ids.length > 0) deleted += await db.transaction((tx) => old.remove(tx, workspaceId, days, ids));
    const end = passed.at(-1);
    last = passed.length === batch && !end?.isYoung ? end : undefined;
  }
  return deleted;
}
