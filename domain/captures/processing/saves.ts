import type { Db } from '../../../db/client.ts';
import type { Context } from '../../context.ts';
import { LostLease } from '../../jobs.ts';
import type { Segment } from '../../media.ts';
import { recordCapture } from '../events.ts';
import type { CaptureAnswer } from '../shapes.ts';
import type { CaptureStep } from '../work.ts';
import { chargeCapture } from './charge.ts';
import type { CaptureClaim } from './claims.ts';

/** What processing captures needs of the service. `db` is the pool. */
export type CaptureContext = Pick<Context, 'db' | 'clock' | 'mail'>;

const hold = `select 1 from captures where workspace_id = $1 and id = $2 for no key update`;
const fence = `select 1 from capture_work where workspace_id = $1 and capture_id = $2 and attempt = $3 for update`;

/**
 * Saves in one transaction, with the capture and its work locked in this order, what a worker did. Nothing is saved
 * when the work is no longer the worker's. `activeMs` is charged. @throws LostLease.
 */
export function save(
  ctx: CaptureContext,
  claim: CaptureClaim,
  activeMs: number,
  write: (db: Db) => Promise<void>,
): Promise<void> {
  const { workspaceId, captureId, attempt } = claim;
  return ctx.db.transaction(async (db) => {
    if ((await db.rows(hold, [workspaceId, captureId])).length === 0) throw new LostLease();
    if ((await db.rows(fence, [workspaceId, captureId, attempt])).length === 0) throw new LostLease();
    await write(db);
    if (activeMs > 0) await chargeCapture({ ...ctx, db }, claim, activeMs);
  });
}

const advance = `update capture_work set step = $3, claims = 1, tries = 0 where workspace_id = $1 and capture_id = $2`;
const finish = 'delete from capture_work where workspace_id = $1 and capture_id = $2';
const finishWithPoints = `with points as (delete from capture_points where workspace_id = $1 and capture_id = $2) ${finish}`;
const touch = 'updated_at = greatest(now(), updated_at)';

/** Continues with the next step, still with the same worker. */
export async function goOn(db: Db, { workspaceId, captureId }: CaptureClaim, step: CaptureStep): Promise<void> {
  await db.rows(advance, [workspaceId, captureId, step]);
}

const setAudio = `update captures set audio_key = $3, audio_type = $4, duration_seconds = $5, ${touch}
  where workspace_id = $1 and id = $2`;

/** The playable file of a recording. Length in whole seconds, rounded up; null when it could not be read. */
export async function setAssembled(
  db: Db,
  claim: CaptureClaim,
  audio: { key: string; type: 'audio/webm' | 'audio/wav'; durationSeconds: number | null },
): Promise<void> {
  const { workspaceId, captureId } = claim;
  const { key, type, durationSeconds } = audio;
  await db.rows(setAudio, [workspaceId, captureId, key, type, durationSeconds]);
  const changed = durationSeconds === null ? [] : (['durationSeconds'] as const);
  await recordCapture(db, claim, 'capture.updated', [...changed, 'mediaUrl']);
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
export async function setTranscript(db: Db, claim: CaptureClaim, transcript: string) {
  const { workspaceId, captureId } = claim;
  await db.rows(setText, [workspaceId, captureId, transcript]);
  await db.rows(dropPieces, [workspaceId, captureId]);
  await recordCapture(db, claim, 'capture.updated', ['transcript']);
}

const addPart = `insert into capture_points (workspace_id, capture_id, key, points) values ($1, $2, $3, $4::jsonb)
  on conflict do nothing`;
const partsFound = 'select key, points from capture_points where workspace_id = $1 and capture_id = $2';

/** What a model found in one part of a long text: kept, so that no part is ever asked for, or paid, twice. */
export async function addPoints(
  db: Db,
  { workspaceId, captureId }: CaptureClaim,
  key: string,
  points: object,
): Promise<void> {
  await db.rows(addPart, [workspaceId, captureId, key, JSON.stringify(points)]);
  await db.rows(progress, [workspaceId, captureId]);
}

/** What was found in parts so far, in no order. */
export function pointsFound(
  db: Db,
  { workspaceId, captureId }: CaptureClaim,
): Promise<{ key: string; points: unknown }[]> {
  return db.rows(partsFound, [workspaceId, captureId]);
}

const describe = `update captures c set subtitle = $4, summary = $5,
    title = case when c.title_given then c.title else coalesce($3, c.title) end,
    status = 'completed', updated_at = greatest(now(), c.updated_at)
  from (select title, subtitle, summary, status from captures where workspace_id = $1 and id = $2) old
  where c.workspace_id = $1 and c.id = $2
  returning c.status is distinct from old.status as status, c.title is distinct from old.title as title,
    c.subtitle is distinct from old.subtitle as subtitle, c.summary is distinct from old.summary as summary`;

/** Which fields have another value now. */
type Described = Record<'status' | 'title' | 'subtitle' | 'summary', boolean>;

/** What was written about it; with that it is completed, and nothing is left to be done. */
export async function setDigest(
  db: Db,
  claim: CaptureClaim,
  digest: Pick<CaptureAnswer, 'title' | 'subtitle' | 'summary'>,
): Promise<void> {
  const { workspaceId, captureId } = claim;
  const values = [workspaceId, captureId, digest.title, digest.subtitle, digest.summary];
  const [described] = await db.rows<Described>(describe, values);
  await db.rows(finishWithPoints, [workspaceId, captureId]);
  if (!described) return;
  const names = Object.keys(described) as (keyof Described)[];
  const type = described.status ? 'capture.completed' : 'capture.updated';
  const changed = names.filter((name) => described[name]);
  await recordCapture(db, claim, type, changed);
}

export type FailureFacts = Pick<NonNullable<CaptureAnswer['failure']>, 'code' | 'message' | 'retryable'>;

const markFailed = `update captures set status = 'failed', failure_code = $3, failure_message = $4,
    failure_retryable = $5, failed_at = now(), ${touch}
  where workspace_id = $1 and id = $2 and type = 'recording' returning id`;

/** Ends the work without its result: a recording is failed, a note stays as it is (CONTRACT §7). */
export async function setFailed(db: Db, claim: CaptureClaim, failure: FailureFacts): Promise<void> {
  const { workspaceId, captureId } = claim;
  const { code, message, retryable } = failure;
  const marked = await db.rows(markFailed, [workspaceId, captureId, code, message, retryable]);
  await db.rows(finish, [workspaceId, captureId]);
  if (marked.length > 0) await recordCapture(db, claim, 'capture.failed', ['status', 'failure']);
}
