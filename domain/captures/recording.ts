import { randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { recordings } from '../../db/schema/index.ts';
import { hashSecret } from '../../db/secrets.ts';
import { holdCredential } from '../access.ts';
import { lockWorkspace } from '../accounts/membership.ts';
import type { Context, ServiceContext } from '../context.ts';
import { conflict } from '../errors.ts';
import type { CaptureRef } from '../jobs.ts';
import { requireFewStreams } from '../streams.ts';
import { requireMinutes } from '../usage/minutes.ts';
import { recordCapture } from './events.ts';
import type { NewRecording, RecordingSessionAnswer } from './recording-shapes.ts';
import { answerOf, findCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import type { CaptureAnswer } from './shapes.ts';
import { settleTags } from './tags.ts';
import { beginWork } from './work.ts';

export type StopReason = NonNullable<(typeof recordings.$inferSelect)['stopReason']>;

/** What ending a recording needs of a context: its processing is queued. */
export type RecordingContext = Pick<ServiceContext, 'db'>;

interface StoppedRecording extends CaptureRef {
  reason: StopReason;
}

/** The channel of NOTIFY that carries `RecordingEvent` as JSON. */
export const recordingsChannel = 'tandem_recordings';

/**
 * Notifies the process that has the connection of a recording: it was stopped or erased, or another connection took it
 * over. `letGo`: the id of a connection that has stopped writing audio of it.
 */
export interface RecordingEvent {
  recordingId: string;
  letGo?: string;
}

/**
 * Notifies all processes once the transaction has committed. A lost notification is made up for by polling within
 * seconds.
 */
export function notifyIntake(db: Db, event: RecordingEvent): void {
  db.notify(recordingsChannel, JSON.stringify(event));
}

/** Recordings that a workspace may have running at a time. One without audio ends after five minutes. */
export const maxRunning = 100;

const running = `select count(*)::int as count from recordings where workspace_id = $1 and stopped_at is null`;

/** Counts them one start after the other: a lock is held until the transaction ends. @throws Failure 429. */
async function requireFewRunning(db: Db, workspaceId: string): Promise<void> {
  await lockWorkspace(db, workspaceId);
  const [found] = await db.rows<{ count: number }>(running, [workspaceId]);
  requireFewStreams('recordings', found?.count ?? 0, maxRunning);
}

const insertCapture = `insert into captures
    (workspace_id, id, type, status, user_id, title, title_given, tags, language, recording_id, recorded_at)
  values ($1, $2, 'recording', 'recording', $3, $4, $4::text is not null, $5, $6, $7, now())`;
const insertRecording = `insert into recordings
    (workspace_id, id, capture_id, user_id, token_hash, token_expires_at, max_seconds, credential_id)
  values ($1, $2, $3, $4, $5, now() + interval '5 minutes', $6, $7)
  returning token_expires_at as "expiresAt"`;

/** A secret that opens the recording socket: 256 random bits, in characters that are valid in a subprotocol. */
export function mintRecordingToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Opens a recording; its audio is sent over the socket until the session of the request is ended. @throws Failure 401
 * when it was, 402, 429 while many are running; nothing is written then.
 */
export function startRecording(ctx: Context, recording: NewRecording): Promise<RecordingSessionAnswer> {
  const { principal, service } = ctx;
  const { workspaceId, userId, credentialId } = principal;
  const { title = null, tags = [], language } = recording;
  return ctx.db.transaction(async (db) => {
    await requireFewRunning(db, workspaceId);
    await requireMinutes(db, workspaceId);
    await holdCredential(db, principal);
    const [captureId, recordingId, token] = [newId(), newId(), mintRecordingToken()];
    const spoken = language === undefined ? null : (Intl.getCanonicalLocales(language)[0] ?? null);
    const settled = await settleTags(db, { workspaceId, captureId }, tags);
    await db.rows(insertCapture, [workspaceId, captureId, userId, title, settled, spoken, recordingId]);
    await writeSearch(db, { workspaceId, captureId });
    await recordCapture(db, { workspaceId, captureId }, 'capture.created');
    const { maxSeconds } = service.recordings;
    const values = [workspaceId, recordingId, captureId, userId, hashSecret(token), maxSeconds, credentialId];
    const [row] = await db.rows<{ expiresAt: string }>(insertRecording, values);
    if (!row) throw new Error('the insert of a recording returned no row');
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
 * Ends a running recording and queues its processing. `ctx.db` is a transaction that has locked the row of the capture.
 * Its connection is notified: audio received until then is still stored. Returns whether it was running.
 */
export async function endRecording(
  ctx: RecordingContext,
  { workspaceId, captureId, reason }: StoppedRecording,
): Promise<boolean> {
  const { db } = ctx;
  const [stopped] = await db.rows<{ id: string }>(stop, [workspaceId, captureId, reason]);
  if (!stopped) return false;
  await db.rows(processing, [workspaceId, captureId]);
  await recordCapture(db, { workspaceId, captureId }, 'capture.updated', ['status']);
  await beginWork(ctx, { workspaceId, captureId }, 'assemble');
  notifyIntake(db, { recordingId: stopped.id });
  return true;
}

const hold = 'select 1 from captures where workspace_id = $1 and id = $2 for no key update';

/** Ends a recording on behalf of its recorder, in a transaction of its own. Returns whether it was running. */
export function endOwnRecording(ctx: RecordingContext, recording: StoppedRecording): Promise<boolean> {
  return ctx.db.transaction(async (db) => {
    await db.rows(hold, [recording.workspaceId, recording.captureId]);
    return endRecording({ ...ctx, db }, recording);
  });
}

/** Stops a running recording. @throws Failure 404, 409 when the capture is not a running recording. */
export function stopCapture(ctx: Context, { captureId }: { captureId: string }): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const { capture } = await findCapture(db, workspaceId, captureId, 'change');
    if (capture.type === 'note') throw conflict('This capture is a note. Only a recording can be stopped.');
    if (!(await endRecording({ ...ctx, db }, { workspaceId, captureId: capture.id, reason: 'stopped' })))
      throw conflict('This recording is no longer running. Read its status with getCapture.');
    return answerOf(ctx, await findCapture(db, workspaceId, captureId));
  });
}
