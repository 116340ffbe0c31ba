import type { Db } from '../../../db/client.ts';
import type { AudioStore } from '../../../media/storage/store.ts';
import type { Removal } from './leases.ts';

/** The pauses double, from one minute: few removals, and what was written late does not stay for the rest of the hour. */
const removed = `with last as (
    delete from audio_removals
    where workspace_id = $1 and recording_id = $2 and attempt = $3 and last_at <= $4::timestamptz returning 1
  ) update audio_removals
  set next_at = least(last_at, $4::timestamptz + greatest(interval '1 minute', $4::timestamptz - last_at + interval '1 hour'))
  where workspace_id = $1 and recording_id = $2 and attempt = $3 and not exists (select 1 from last)`;

/**
 * Removes the audio of erased captures from the store: at once, and again for an hour, after which whoever was still
 * writing, and could not remove it by itself, has certainly ended.
 */
export function removalHandler(db: Db, store: AudioStore) {
  return async ({ workspaceId, recordingId, attempt, claimedAt }: Removal): Promise<void> => {
    await store.remove(`${workspaceId}/${recordingId}/`);
    await db.rows(removed, [workspaceId, recordingId, attempt, claimedAt]);
  };
}
