import type { Logger } from 'pino';
import { endRecording, type RecordingContext, type StopReason } from '../../domain/captures/recording.ts';
import type { CaptureRef } from '../../domain/jobs.ts';
import { type IntakeTimes, msSince, now } from './times.ts';

/** Recordings that one run stops at most. */
const maxPerRun = 500;

// A connection reports new audio when it renews its lease, so a missing renewal does not mean silence. Null: no
// recording is silent.
const isSilent = `r.last_audio_at < now() - $1::float8 * interval '1 millisecond'`;
const isLong = `r.opened_at < now() - r.max_seconds * interval '1 second'`;
const due = `select r.workspace_id as "workspaceId", r.capture_id as "captureId" from recordings r
  where r.stopped_at is null and (${isSilent} or ${isLong}) order by r.last_audio_at limit ${maxPerRun}`;
const hold = `select case when r.holder is null or r.lease_until <= now() then 'connection_lost'
      when ${isLong} then 'max_duration' else 'silence' end as reason
  from captures c join recordings r on r.workspace_id = c.workspace_id and r.capture_id = c.id
  where c.workspace_id = $2 and c.id = $3 and r.stopped_at is null and (${isSilent} or ${isLong})
  for no key update of c, r skip locked`;

interface Silence extends Pick<IntakeTimes, 'renewMs'> {
  /** Null: no silence is too long. */
  silenceMs: number | null;
}

/**
 * Stops the recordings from which no audio came for `silenceMs`, connected or not, and those that have lasted as long
 * as they may, pauses and interruptions included. The reason is `connection_lost` wherever no recorder is connected.
 * Any number of processes may do it at once. Returns how many it stopped.
 */
export async function stopSilent(
  { db: pool }: RecordingContext,
  { silenceMs, renewMs }: Silence,
  log: Logger,
): Promise<number> {
  const ms = silenceMs === null ? null : silenceMs + 2 * renewMs;
  let stopped = 0;
  for (const { workspaceId, captureId } of await pool.rows<CaptureRef>(due, [ms])) {
    const reason = await pool.transaction(async (db) => {
      const [row] = await db.rows<{ reason: StopReason }>(hold, [ms, workspaceId, captureId]);
      if (row) await endRecording({ db }, { workspaceId, captureId, reason: row.reason });
      return row?.reason;
    });
    if (reason === undefined) continue;
    stopped += 1;
    log.debug({ captureId, reason }, 'recording stopped');
  }
  return stopped;
}

/**
 * `stopSilent` for a process that calls it repeatedly: the time in which the service was away does not count as
 * silence.
 */
export function silenceWatch(ctx: RecordingContext, times: IntakeTimes, log: Logger): () => Promise<number> {
  let last = now();
  let back = last;
  return async () => {
    const wasAway = msSince(last) > times.awayMs;
    const isBack = wasAway || msSince(back) < times.returnMs;
    // While the database is away it fails, and the service is away still.
    const stopped = await stopSilent(ctx, { ...times, silenceMs: isBack ? null : times.silenceMs }, log);
    last = now();
    if (wasAway) back = last;
    return stopped;
  };
}
