import type { Db } from '../../../db/client.ts';
import { audioRemovalMs } from '../../../domain/captures/archive.ts';
import { removeScratch } from '../../../media/audio/scratch.ts';
import type { AudioStore } from '../../../media/storage/store.ts';
import type { Removal } from './leases.ts';

const held = 'where workspace_id = $1 and recording_id = $2 and attempt = $3';
const end = `delete from audio_removals ${held}`;
const again = `update audio_removals set next_at = $4 ${held}`;

const minPauseMs = 60_000;

/**
 * When it is removed next, or null. The pauses double: few removals, and what was written late does not stay for an
 * hour.
 */
function nextOf({ claimedAt, lastAt }: Removal): string | null {
  const [now, last] = [Date.parse(claimedAt), Date.parse(lastAt)];
  if (now >= last) return null;
  const sinceErasure = now - (last - audioRemovalMs);
  return new Date(Math.min(last, now + Math.max(minPauseMs, sinceErasure))).toISOString();
}

/**
 * Removes the audio of erased captures from the store and the temporary files below `scratch`: at once, and again for
 * an hour, after which whoever was still writing, and could not remove it by itself, has certainly ended.
 */
export function removalHandler(db: Db, store: AudioStore, scratch: string) {
  return async (removal: Removal): Promise<void> => {
    const { workspaceId, recordingId, attempt } = removal;
    await store.remove(`${workspaceId}/${recordingId}/`);
    await removeScratch(scratch, recordingId);
    const next = nextOf(removal);
    const key = [workspaceId, recordingId, attempt];
    await (next === null ? db.rows(end, key) : db.rows(again, [...key, next]));
  };
}
