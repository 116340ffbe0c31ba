import type { Logger } from 'pino';
import { endRecording, type StopReason, type World } from '../../../routers/captures/recording.ts';
import type { CaptureRef } from '../../../routers/jobs.ts';
import type { IntakeTimes } from './times.ts';

/** Recordings that one run stops at most. */
const atATime = 500;

// A holder tells of new audio with the renewals of its lease: one that is missing is no silence.
const isSilent = `r.last_audio_at < now() - $1 * interval '1 millisecond'`;
const isLong = `r.opened_at < now() - r.max_seconds * interval '1 second'`;
const due = `select r.workspace_id as "workspaceId", r.capture_id as "captureId" from recordings r
  where r.stopped_at is null and (${isSilent} or ${isLong}) order by r.last_audio_at limit ${atATime}`;
const hold = `select case when ${isLong} then 'max_duration'
      when r.holder is not null and r.lease_until > now() then 'silence' else 'connection_lost' end as reason
  from captures c join recordings r on r.workspace_id = c.workspace_id and r.capture_id = c.id
  where c.workspace_id = $2 and c.id = $3 and r.stopped_at is null and (${isSilent} or ${isLong})
  for no key update of c, r skip locked`;

/**
 * Stops the recordings from which no audio came for `silenceMs`, connected or not, and those that have lasted as long
 * as they may, pauses and interruptions included. Any number of processes may do it at once. Returns how many it stopped.
 */
export async function stopSilent(
  { db: pool, jobs }: World,
  { silenceMs, renewMs }: Pick<IntakeTimes, 'silenceMs' | 'renewMs'>,
  log: Logger,
): Promise<number> {
  const ms = silenceMs + 2 * renewMs;
  let stopped = 0;
  for (const { workspaceId, captureId } of await pool.rows<CaptureRef>(due, [ms])) {
    const reason = await pool.transaction(async (db) => {
      const [row] = await db.rows<{ reason: StopReason }>(hold, [ms, workspaceId, captureId]);
      if (row) await endRecording({ db, jobs }, { workspaceId, captureId }, row.reason);
      return row?.reason;
    });
    if (reason === undefined) continue;
    stopped += 1;
    log.debug({ captureId, reason }, 'a recording was stopped');
  }
  return stopped;
}
