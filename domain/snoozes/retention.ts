import type { Db } from '../../db/client.ts';
import { recordErasure } from '../events/changes.ts';

const isOver = `until < now() - interval '7 days'`;

/** The workspaces that have snoozes which ended longer than a week ago. */
export const withOldSnoozes = `select distinct workspace_id as id from snoozes where ${isOver}`;

// Asked again of the row that is deleted: it may have been put off again meanwhile.
const remove = `delete from snoozes where workspace_id = $1 and id in (
    select id from snoozes where workspace_id = $1 and ${isOver} order by id limit $2) and ${isOver}
  returning id, user_id as "readerId"`;

/**
 * Deletes up to `limit` snoozes of a workspace that ended longer than a week ago, in the transaction given; how many.
 */
export async function deleteOldSnoozes(tx: Db, workspaceId: string, limit: number): Promise<number> {
  const deleted = await tx.rows<{ id: string; readerId: string }>(remove, [workspaceId, limit]);
  const events = deleted.map(({ id, readerId }) => ({ type: 'snooze.deleted' as const, objectId: id, readerId }));
  await recordErasure(tx, workspaceId, events);
  return deleted.length;
}
