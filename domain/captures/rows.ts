import { hash } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { captures } from '../../db/schema/index.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch, tagOf } from '../etag.ts';
import { Capture, type CaptureAnswer, type CaptureListedAnswer } from './shapes.ts';

type Failure = NonNullable<CaptureAnswer['failure']>;

type Columns = typeof captures.$inferSelect;
type FailureColumns = Pick<Columns, 'failureCode' | 'failureMessage' | 'failureRetryable' | 'failedAt'>;
type Plain = keyof Omit<CaptureListedAnswer, 'object' | 'failure' | 'isArchived'>;

/** A row of `listedColumns`. */
export type ListedRow = Pick<Columns, Plain> & FailureColumns & { isArchived: boolean };

type StoredRow = ListedRow & Pick<Columns, 'content' | 'transcript' | 'notes' | 'titleGiven'> & { hasAudio: boolean };

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
  /** For a change: rows that refer to it can be written meanwhile. */
  change: `${one} for no key update`,
  /** For its erasure: no new row can refer to it. */
  erase: `${one} for update`,
};

function failureOf({ failureCode, failureMessage, failureRetryable, failedAt }: FailureColumns): Failure | null {
  if (failureCode === null) return null;
  const facts = { code: failureCode, message: failureMessage ?? '', occurredAt: failedAt ?? '' };
  return { object: 'capture_failure', ...facts, retryable: failureRetryable ?? false };
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

/** A capture as it is stored: without a link to its audio, which is made on each read. */
export interface StoredCapture {
  capture: CaptureAnswer;
  /** The title was set by a person or is the heading of the note: processing writes none. */
  titleGiven: boolean;
  /** There is an audio file that can be played. */
  hasAudio: boolean;
}

/** The capture of this id, its row locked as in `locks`. @throws Failure 404 when the workspace has no such capture. */
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

/** Longer texts are hashed as they are: writing megabytes as JSON first would take far longer. */
const maxTaggedLength = 10_000;

function taggedText(text: string | null): string | null {
  return text === null || text.length <= maxTaggedLength ? text : hash('sha256', text, 'base64url');
}

/** The content of the entity tag: the link to the audio differs on each read, so it only shows that there is audio. */
function tagged({ capture, hasAudio }: StoredCapture): CaptureAnswer {
  const { content, transcript, notes, recordingId } = capture;
  const texts = { content: taggedText(content), transcript: taggedText(transcript), notes: taggedText(notes) };
  return { ...capture, ...texts, mediaUrl: hasAudio ? recordingId : null };
}

/** Checks `If-Match` against a capture whose row is locked. @throws Failure 412. */
export function requireCaptureMatch(ifMatch: readonly string[] | undefined, stored: StoredCapture): void {
  requireMatch(ifMatch, Capture, tagged(stored));
}

/**
 * The answer to a write, or to a read before the link to the audio is added. Sets the entity tag, which is the same for
 * both; the output schema of a write omits the texts.
 */
export function answerOf({ reply }: Pick<Context, 'reply'>, stored: StoredCapture): CaptureAnswer {
  reply.etag = tagOf(Capture, tagged(stored));
  return stored.capture;
}

/** A capture with all fields and a fresh link to its audio. @throws Failure 404. */
export async function getCapture(ctx: Context, { captureId }: { captureId: string }): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  const stored = await findCapture(ctx.db, workspaceId, captureId);
  const capture = answerOf(ctx, stored);
  const { recordingId } = capture;
  if (!stored.hasAudio || recordingId === null) return capture;
  const audio = { workspaceId, captureId: capture.id, recordingId };
  return { ...capture, mediaUrl: ctx.media.urlFor(audio, ctx.clock()) };
}
