import type { Db } from '../../../db/client.ts';
import type { Context } from '../../base.ts';
import type { CaptureAnswer } from '../shapes.ts';
import type { Segment } from '../transcripts/segments.ts';
import type { CaptureStep } from '../work.ts';
import { chargeCapture } from './charge.ts';
import { type CaptureClaim, LostCapture } from './claims.ts';

/** What the work on captures needs of the world. `db` is the pool. */
export type CaptureWorld = Pick<Context, 'db' | 'jobs' | 'clock' | 'mail'>;

const hold = `select 1 from captures where workspace_id = $1 and id = $2 for no key update`;
const fence = `select 1 from capture_work where workspace_id = $1 and capture_id = $2 and attempt = $3 for update`;

/**
 * Saves in one transaction, with the capture and its work locked in this order, what a worker did. Nothing is saved
 * when the work is not the worker's any more. `activeMs` is charged. @throws LostCapture.
 */
export function save(
  world: CaptureWorld,
  claim: CaptureClaim,
  activeMs: number,
  write: (db: Db) => Promise<void>,
): Promise<void> {
  const { workspaceId, captureId, attempt } = claim;
  return world.db.transaction(async (db) => {
    if ((await db.rows(hold, [workspaceId, captureId])).length === 0) throw new LostCapture();
    if ((await db.rows(fence, [workspaceId, captureId, attempt])).length === 0) throw new LostCapture();
    await write(db);
    if (activeMs > 0) await chargeCapture({ ...world, db }, claim, activeMs);
  });
}

const advance = `update capture_work set step = $3, claims = 1, tries = 0 where workspace_id = $1 and capture_id = $2`;
const finish = 'delete from capture_work where workspace_id = $1 and capture_id = $2';
const touch = 'updated_at = greatest(now(), updated_at)';

/** Goes on to the next step, still with the same worker. */
export async function goOn(db: Db, { workspaceId, captureId }: CaptureClaim, step: CaptureStep): Promise<void> {
  await db.rows(advance, [workspaceId, captureId, step]);
}

const setAudio = `update captures set audio_key = $3, audio_type = $4, duration_seconds = $5, ${touch}
  where workspace_id = $1 and id = $2`;

/** The playable file of a recording. Length in whole seconds, rounded up; null when it could not be read. */
export async function setAssembled(
  db: Db,
  { workspaceId, captureId }: CaptureClaim,
  audio: { key: string; type: 'audio/webm' | 'audio/wav'; durationSeconds: number | null },
): Promise<void> {
  await db.rows(setAudio, [workspaceId, captureId, audio.key, audio.type, audio.durationSeconds]);
}

/** A piece of a recording that was transcribed. */
export interface TranscribedPiece {
  /** Where it ends in the recording; the next piece begins there. */
  endMs: number;
  segments: readonly Segment[];
}

const addPiece = `insert into capture_pieces (workspace_id, capture_id, position, end_ms, segments)
  values ($1, $2, $3, $4, $5::jsonb)`;
const progress = `update capture_work set claims = 1, tries = 0 where workspace_id = $1 and capture_id = $2`;

/** One transcribed piece: kept, so that no piece is ever asked for, or paid, twice. */
export async function addTranscribed(
  db: Db,
  { workspaceId, captureId }: CaptureClaim,
  position: number,
  { endMs, segments }: TranscribedPiece,
): Promise<void> {
  await db.rows(addPiece, [workspaceId, captureId, position, endMs, JSON.stringify(segments)]);
  await db.rows(progress, [workspaceId, captureId]);
}

const pieces = `select end_ms as "endMs", segments from capture_pieces where workspace_id = $1 and capture_id = $2 order by position`;
const dropPieces = 'delete from capture_pieces where workspace_id = $1 and capture_id = $2';
const setText = `update captures set transcript = $3, ${touch} where workspace_id = $1 and id = $2`;

/** The pieces that were transcribed so far, in order. */
export function transcribedPieces(db: Db, { workspaceId, captureId }: CaptureClaim): Promise<TranscribedPiece[]> {
  return db.rows(pieces, [workspaceId, captureId]);
}

/** The whole transcript, in place of its pieces. */
export async function setTranscript(db: Db, { workspaceId, captureId }: CaptureClaim, transcript: string) {
  await db.rows(setText, [workspaceId, captureId, transcript]);
  await db.rows(dropPieces, [workspaceId, captureId]);
}

const describe = `update captures set subtitle = $4, summary = $5,
    title = case when title_given then title else coalesce($3, title) end,
    status = 'completed', ${touch} where workspace_id = $1 and id = $2`;

/** What was written about it; with that it is completed, and nothing is left to be done. */
export async function setDigest(
  db: Db,
  { workspaceId, captureId }: CaptureClaim,
  digest: Pick<CaptureAnswer, 'title' | 'subtitle' | 'summary'>,
): Promise<void> {
  await db.rows(describe, [workspaceId, captureId, digest.title, digest.subtitle, digest.summary]);
  await db.rows(finish, [workspaceId, captureId]);
}

export type FailureFacts = Pick<NonNullable<CaptureAnswer['failure']>, 'code' | 'message' | 'retryable'>;

const markFailed = `update captures set status = 'failed', failure_code = $3, failure_message = $4,
    failure_retryable = $5, failed_at = now(), ${touch}
  where workspace_id = $1 and id = $2 and type = 'recording'`;

/** Ends the work without its result: a recording is failed, a note stays as it is (CONTRACT §7). */
export async function setFailed(db: Db, claim: CaptureClaim, failure: FailureFacts): Promise<void> {
  const { workspaceId, captureId } = claim;
  const { code, message, retryable } = failure;
  await db.rows(markFailed, [workspaceId, captureId, code, message, retryable]);
  await db.rows(finish, [workspaceId, captureId]);
}
