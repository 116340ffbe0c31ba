import { randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { hashSecret } from '../../db/secrets.ts';
import type { Principal, ServiceSettings } from '../base.ts';
import { conflict } from '../errors.ts';
import type { CaptureRef, Jobs } from '../jobs.ts';
import { requireMinutes } from '../minutes.ts';
import { tellIntake } from './recording-news.ts';
import { findCapture, type StoredCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import type { RecordingSessionAnswer } from './shapes.ts';
import { settleTags } from './tags.ts';
import { beginWork } from './work.ts';

export type StopReason = 'stopped' | 'silence' | 'connection_lost' | 'max_duration' | 'max_size';

/** What ending a recording needs of the world: it is worked on afterwards. */
export interface World {
  db: Db;
  jobs: Jobs;
}

export interface NewRecording {
  title?: string | undefined;
  tags?: string[] | undefined;
  language?: string | undefined;
}

const insertCapture = `insert into captures
    (workspace_id, id, type, status, user_id, title, title_given, tags, language, recording_id, recorded_at)
  values ($1, $2, 'recording', 'recording', $3, $4, $4::text is not null, $5, $6, $7, now())`;
const insertRecording = `insert into recordings
    (workspace_id, id, capture_id, user_id, token_hash, token_expires_at, max_seconds)
  values ($1, $2, $3, $4, $5, now() + interval '5 minutes', $6)
  returning token_expires_at as "expiresAt"`;

/** A secret that opens the recording socket: 256 random bits, in characters that a subprotocol may have. */
export function mintRecordingToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Opens a recording: its audio comes over the socket. @throws Failure 402, with nothing written. */
export function openRecording(
  { db: pool, service }: { db: Db; service: ServiceSettings },
  { workspaceId, userId }: Principal,
  recording: NewRecording,
): Promise<RecordingSessionAnswer> {
  const { title = null, tags = [], language } = recording;
  return pool.transaction(async (db) => {
    await requireMinutes(db, workspaceId);
    const [captureId, recordingId, token] = [newId(), newId(), mintRecordingToken()];
    const spoken = language === undefined ? null : (Intl.getCanonicalLocales(language)[0] ?? null);
    const settled = await settleTags(db, workspaceId, tags);
    await db.rows(insertCapture, [workspaceId, captureId, userId, title, settled, spoken, recordingId]);
    await writeSearch(db, { workspaceId, captureId });
    const { maxSeconds } = service.recordings;
    const values = [workspaceId, recordingId, captureId, userId, hashSecret(token), maxSeconds];
    const [row] = await db.rows<{ expiresAt: string }>(insertRecording, values);
    if (!row) throw new Error('A recording that was not kept');
    return {
      object: 'recording_session' as const,
      id: recordingId,
      captureId,
      recordingId,
      socketUrl: `${service.publicUrl.replace(/^http/, 'ws')}/recordings`,
      token,
      expiresAt: row.expiresAt,
      maxDurationSeconds: maxSeconds,
    };
  });
}

const stop = `update recordings set stopped_at = now(), stop_reason = $3
  where workspace_id = $1 and capture_id = $2 and stopped_at is null returning id`;
const processing = `update captures set status = 'processing', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2`;

/**
 * Ends a running recording and has it worked on, in the transaction given, which holds the row of the capture already.
 * The connection that holds it is told: what it has received by then is still kept. Returns whether it was running.
 */
export async function endRecording(
  { db, jobs }: World,
  { workspaceId, captureId }: CaptureRef,
  reason: StopReason,
): Promise<boolean> {
  const [stopped] = await db.rows<{ id: string }>(stop, [workspaceId, captureId, reason]);
  if (!stopped) return false;
  await db.rows(processing, [workspaceId, captureId]);
  await beginWork({ db, jobs }, { workspaceId, captureId }, 'assemble');
  await tellIntake(db, { recordingId: stopped.id });
  return true;
}

const hold = 'select 1 from captures where workspace_id = $1 and id = $2 for no key update';

/** Ends a recording for its recorder. Returns whether it was running. */
export function endOwnRecording(world: World, capture: CaptureRef, reason: StopReason): Promise<boolean> {
  return world.db.transaction(async (db) => {
    await db.rows(hold, [capture.workspaceId, capture.captureId]);
    return endRecording({ ...world, db }, capture, reason);
  });
}

/** Stops a recording for whoever may write captures. @throws Failure 404, 409 when it is no running recording. */
export function stopRecording(world: World, workspaceId: string, captureId: string): Promise<StoredCapture> {
  return world.db.transaction(async (db) => {
    const { capture } = await findCapture(db, workspaceId, captureId, 'change');
    if (capture.type === 'note') throw conflict('This capture is a note: there is nothing to stop.');
    if (!(await endRecording({ ...world, db }, { workspaceId, captureId: capture.id }, 'stopped')))
      throw conflict('This recording is not running any more. Read its status with getCapture.');
    return findCapture(db, workspaceId, captureId);
  });
}
