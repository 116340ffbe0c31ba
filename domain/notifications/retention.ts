import type { Db } from '../../db/client.ts';
import { recordErasure } from '../events/changes.ts';
import { type ChangedNotification, changedColumns, notificationEvents } from './changes.ts';

// What is put off comes back; its snooze is deleted some days after that.
const isOld = (
  workspace: string,
) => `n.created_at < now() - make_interval(days => $1::int) and n.email <> 'pending' and not exists (
    select from snoozes s where s.workspace_id = ${workspace} and s.user_id = n.user_id and s.subject_id = n.id)`;

/** The workspaces that have notifications older than `$1` days. */
export const withOldNotifications = `select distinct n.workspace_id as id from notifications n where ${isOld('n.workspace_id')}`;

const remove = `delete from notifications n where n.workspace_id = $2 and n.id in (
    select n.id from notifications n where n.workspace_id = $2 and ${isOld('$2')} order by n.id limit $3)
  returning ${changedColumns}`;

/**
 * Deletes up to `limit` notifications of a workspace that are older than `days`, in the transaction given; how many.
 */
export async function deleteOldNotifications(
  tx: Db,
  workspaceId: string,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const deleted = await tx.rows<ChangedNotification>(remove, [days, workspaceId, limit]);
  await recordErasure(tx, workspaceId, notificationEvents(deleted, { type: 'notification.deleted' }));
  return deleted.length;
}
