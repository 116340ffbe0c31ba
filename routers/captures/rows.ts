import type { Db } from '../../db/client.ts';
import type { Context } from '../base.ts';
import { notFound } from '../errors.ts';
import { requireMatch, tagOf } from '../etag.ts';
import { Capture, type CaptureAnswer, type CaptureListedAnswer } from './shapes.ts';

type Failure = NonNullable<CaptureAnswer['failure']>;

interface FailureColumns {
  failureCode: Failure['code'] | null;
  failureMessage: string | null;
  failureRetryable: boolean | null;
  failedAt: string | null;
}

/** A row of `listedColumns`. */
export type ListedRow = Omit<CaptureListedAnswer, 'object' | 'failure'> & FailureColumns;

type StoredRow = Omit<CaptureAnswer, 'object' | 'failure' | 'mediaUrl'> &
  FailureColumns & { titleGiven: boolean; hasAudio: boolean };

/** The columns of a capture without its bodies, from a relation `c` shaped like `captures`. */
export const listedColumns = `c.id, c.type, c.status, c.duration_seconds as "durationSeconds",
  c.recording_id as "recordingId", c.failure_code as "failureCode", c.failure_message as "failureMessage",
  c.failure_retryable as "failureRetryable", c.failed_at as "failedAt", c.archived_at is not null as "isArchived",
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.title, c.subtitle, c.summary, c.tags,
  c.recorded_at as "recordedAt"`;

const one = `select ${listedColumns}, c.content, c.transcript, c.notes, c.title_given as "titleGiven",
    c.audio_key is not null as "hasAudio"
  from captures c where c.workspace_id = $1 and c.id = $2`;

const locks = {
  none: one,
  /** For a change: others may still refer to it. */
  change: `${one} for no key update`,
  /** For its end: nothing may begin to refer to it. */
  erase: `${one} for update`,
};

function failureOf({ failureCode, failureMessage, failureRetryable, failedAt }: FailureColumns): Failure | null {
  if (failureCode === null) return null;
  const told = { code: failureCode, message: failureMessage ?? '', occurredAt: failedAt ?? '' };
  return { object: 'capture_failure', ...told, retryable: failureRetryable ?? false };
}

/** The capture of a row as lists show it. */
export function listedOf(row: ListedRow): CaptureListedAnswer {
  return {
    object: 'capture',
    id: row.id,
    type: row.type,
    status: row.status,
    durationSeconds: row.durationSeconds,
    recordingId: row.recordingId,
    failure: failureOf(row),
    isArchived: row.isArchived,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    title: row.title,
    subtitle: row.subtitle,
    summary: row.summary,
    tags: row.tags,
    recordedAt: row.recordedAt,
  };
}

/** A capture as it is kept: without a link to its audio, which is made for each reader. */
export interface StoredCapture {
  capture: CaptureAnswer;
  /** A person or the note itself gave the title: none is written. */
  titleGiven: boolean;
  /** There is a file that can be played. */
  hasAudio: boolean;
}

/** The capture of this id, its row locked as `lock` says. @throws Failure 404 when the workspace has no such capture. */
export async function findCapture(
  db: Db,
  workspaceId: string,
  captureId: string,
  lock: keyof typeof locks = 'none',
): Promise<StoredCapture> {
  const [row] = await db.rows<StoredRow>(locks[lock], [workspaceId, captureId]);
  if (!row) throw notFound('capture', 'captureId');
  const { content, transcript, notes, titleGiven, hasAudio } = row;
  return { capture: { ...listedOf(row), content, transcript, notes, mediaUrl: null }, titleGiven, hasAudio };
}

/** What the entity tag is made of: a link to the audio, other each time, tells no more than that there is audio. */
function tagged({ capture, hasAudio }: StoredCapture): CaptureAnswer {
  return { ...capture, mediaUrl: hasAudio ? capture.recordingId : null };
}

/** Holds `If-Match` against a capture whose row is locked. @throws Failure 412. */
export function requireCaptureMatch(ifMatch: readonly string[] | undefined, stored: StoredCapture): void {
  requireMatch(ifMatch, Capture, tagged(stored));
}

/**
 * The answer to a write, or to a read when a link to the audio is put in. Its entity tag is the same for both; the
 * output schema of a write lets no more out than that the capture is there.
 */
export function answerOf({ reply }: Pick<Context, 'reply'>, stored: StoredCapture): CaptureAnswer {
  reply.etag = tagOf(Capture, tagged(stored));
  return stored.capture;
}

/** The answer to a read: with a fresh link to the audio. @throws Failure 404. */
export async function readCapture(
  ctx: Pick<Context, 'db' | 'media' | 'clock' | 'reply'>,
  workspaceId: string,
  captureId: string,
): Promise<CaptureAnswer> {
  const stored = await findCapture(ctx.db, workspaceId, captureId);
  const capture = answerOf(ctx, stored);
  const { recordingId } = capture;
  if (!stored.hasAudio || recordingId === null) return capture;
  const audio = { workspaceId, captureId: capture.id, recordingId };
  return { ...capture, mediaUrl: ctx.media.urlFor(audio, ctx.clock()) };
}
