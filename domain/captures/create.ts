import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { captures } from '../../db/schema/index.ts';
import type { AuthenticatedContext, Context, Principal } from '../context.ts';
import type { Media } from '../media.ts';
import { requireMinutes } from '../usage/minutes.ts';
import { recordCapture } from './events.ts';
import { noteTextOf } from './note-text.ts';
import { answerOf, findCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import { type CaptureAnswer, CaptureCreate, type NewNote, type TranscriptImport } from './shapes.ts';
import { settleTags } from './tags.ts';
import { beginWork } from './work.ts';

/** The columns of a new capture, apart from its tags. */
type Draft = Pick<
  typeof captures.$inferSelect,
  'type' | 'status' | 'title' | 'titleGiven' | 'content' | 'transcript' | 'durationSeconds' | 'recordedAt'
>;

const insert = `insert into captures (workspace_id, id, user_id, type, status, title, title_given, content, transcript,
    duration_seconds, recorded_at, tags)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz, $12)`;

function noteOf({ content }: NewNote): Draft {
  const none = { transcript: null, durationSeconds: null, recordedAt: null };
  return { type: 'note', status: 'completed', ...noteTextOf(content), ...none };
}

/** @throws Failure 400 when the transcript cannot be read, 503 when too many wait to be read. */
async function importOf(
  media: Media,
  { transcript, title, recordedAt }: TranscriptImport,
  workspaceId: string,
): Promise<Draft> {
  const { text, durationSeconds } = await media.readTranscript(transcript, 'transcript.body', workspaceId);
  return {
    type: 'recording',
    status: 'processing',
    title: title ?? null,
    titleGiven: title !== undefined,
    content: null,
    transcript: text,
    durationSeconds,
    recordedAt: recordedAt ?? null,
  };
}

async function write(db: Db, { workspaceId, userId }: Principal, draft: Draft, named: readonly string[]) {
  const captureId = newId();
  const tags = await settleTags(db, { workspaceId, captureId }, named);
  const { type, status, title, titleGiven, content, transcript, durationSeconds: seconds, recordedAt } = draft;
  const columns = [type, status, title, titleGiven, content, transcript, seconds, recordedAt, tags];
  await db.rows(insert, [workspaceId, captureId, userId, ...columns]);
  await writeSearch(db, { workspaceId, captureId });
  await recordCapture(db, { workspaceId, captureId }, 'capture.created');
  return captureId;
}

/**
 * Reads the transcript of an import before the transaction of an `Idempotency-Key` opens, as it may have to wait for
 * others. `createCapture` gets the returned `media`, which returns the transcript, or throws what was wrong with it.
 */
export async function readAhead(
  { media, principal: { workspaceId } }: AuthenticatedContext,
  input: unknown,
): Promise<Pick<Context, 'media'>> {
  const { data } = CaptureCreate.safeParse(input);
  if (data?.type !== 'recording') return { media };
  const reading = media.readTranscript(data.transcript, 'transcript.body', workspaceId);
  await reading.catch(() => {});
  return { media: { ...media, readTranscript: () => reading } };
}

/**
 * Creates a note, or a recording from a finished transcript, and queues its processing: summary and suggested todos
 * follow. @throws Failure 400, 402, 503.
 */
export async function createCapture(ctx: Context, input: NewNote | TranscriptImport): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  const draft = input.type === 'note' ? noteOf(input) : await importOf(ctx.media, input, workspaceId);
  await requireMinutes(ctx.db, workspaceId);
  return ctx.db.transaction(async (db) => {
    const captureId = await write(db, ctx.principal, draft, input.tags ?? []);
    await beginWork({ ...ctx, db }, { workspaceId, captureId }, 'digest');
    return answerOf(ctx, await findCapture(db, workspaceId, captureId));
  });
}
