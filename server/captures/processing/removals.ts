import type { Db } from '../../../db/client.ts';
import type { AudioStore } from '../storage/store.ts';

interface Removal {
  workspaceId: string;
  recordingId: string;
}

// Whoever dies before it is done leaves the row: it comes up again.
const due = `update audio_removals r set next_at = now() + interval '30 seconds'
  from (select workspace_id, recording_id from audio_removals where next_at <= now()
    order by next_at limit 20 for update skip locked) due
  where r.workspace_id = due.workspace_id and r.recording_id = due.recording_id
  returning r.workspace_id as "workspaceId", r.recording_id as "recordingId"`;

/** Once nobody can write any more it is over; until then it is looked after once more. */
const done = `with over as (
    delete from audio_removals where workspace_id = $1 and recording_id = $2 and last_at <= $3::timestamptz returning 1
  ) update audio_removals set next_at = greatest(last_at, $3::timestamptz)
  where workspace_id = $1 and recording_id = $2 and not exists (select 1 from over)`;

/**
 * Removes the audio of erased captures from the store: at once, and again when the connection that may still have been
 * writing is surely gone. Returns how many were removed.
 */
export async function removeErased(db: Db, store: AudioStore): Promise<number> {
  const [clock] = await db.rows<{ now: string }>('select now() as now', []);
  const removals = await db.rows<Removal>(due, []);
  for (const { workspaceId, recordingId } of removals) {
    await store.remove(`${workspaceId}/${recordingId}/`);
    await db.rows(done, [workspaceId, recordingId, clock?.now]);
  }
  return removals.length;
}
