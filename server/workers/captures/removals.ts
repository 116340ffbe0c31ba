import type { Db } from '../../../db/client.ts';
import type { AudioStore } from '../../../media/storage/store.ts';
import type { Handler } from '../queue/loop.ts';
import type { Removal } from './leases.ts';

const removed = `with last as (
    delete from audio_removals
    where workspace_id = $1 and recording_id = $2 and attempt = $3 and last_at <= $4::timestamptz returning 1
  ) update audio_removals set next_at = greatest(last_at, $4::timestamptz)
  where workspace_id = $1 and recording_id = $2 and attempt = $3 and not exists (select 1 from last)`;

/**
 * Removes the audio of erased captures from the store: at once, and again after the time at which the connection that
 * may still have been writing has certainly ended.
 */
export function removalHandler(db: Db, store: AudioStore): Handler<Removal> {
  return async ({ workspaceId, recordingId, attempt, claimedAt }) => {
    await store.remove(`${workspaceId}/${recordingId}/`);
    await db.rows(removed, [workspaceId, recordingId, attempt, claimedAt]);
  };
}
