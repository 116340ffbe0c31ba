import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context, Principal } from '../base.ts';
import { requireMinutes } from '../minutes.ts';
import { noteTextOf } from './note-text.ts';
import { findCapture, type StoredCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import type { NewNote, TranscriptImport } from './shapes.ts';
import { settleTags } from './tags.ts';
import { readTranscript } from './transcripts/index.ts';
import { durationSeconds, transcriptText } from './transcripts/segments.ts';
import { beginWork } from './work.ts';

/** What a new capture says, apart from its tags. */
interface Draft {
  type: 'note' | 'recording';
  status: 'completed' | 'processing';
  title: string | null;
  titleGiven: boolean;
  content: string | null;
  transcript: string | null;
  durationSeconds: number | null;
  recordedAt: string | null;
}

const insert = `insert into captures (workspace_id, id, user_id, type, status, title, title_given, content, transcript,
    duration_seconds, recorded_at, tags)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz, $12)`;

function noteOf({ content }: NewNote): Draft {
  const none = { transcript: null, durationSeconds: null, recordedAt: null };
  return { type: 'note', status: 'completed', ...noteTextOf(content), ...none };
}

/** @throws Failure 400 when the transcript cannot be read. */
function importOf({ transcript, title, recordedAt }: TranscriptImport): Draft {
  const segments = readTranscript(transcript.format, transcript.body, 'transcript.body');
  return {
    type: 'recording',
    status: 'processing',
    title: title ?? null,
    titleGiven: title !== undefined,
    content: null,
    transcript: transcriptText(segments),
    durationSeconds: durationSeconds(segments),
    recordedAt: recordedAt ?? null,
  };
}

async function write(db: Db, { workspaceId, userId }: Principal, draft: Draft, tags: string[]): Promise<string> {
  const captureId = newId();
  const { type, status, title, titleGiven, content, transcript, durationSeconds: seconds, recordedAt } = draft;
  const said = [type, status, title, titleGiven, content, transcript, seconds, recordedAt, tags];
  await db.rows(insert, [workspaceId, captureId, userId, ...said]);
  await writeSearch(db, { workspaceId, captureId });
  return captureId;
}

/**
 * Keeps a note, or a recording whose transcript is there already, and has it worked on: summary and suggested todos
 * follow. @throws Failure 400, 402.
 */
export async function createCapture(
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  principal: Principal,
  input: NewNote | TranscriptImport,
): Promise<StoredCapture> {
  const { workspaceId } = principal;
  const draft = input.type === 'note' ? noteOf(input) : importOf(input);
  await requireMinutes(db, workspaceId);
  return db.transaction(async (tx) => {
    const tags = await settleTags(tx, workspaceId, input.tags ?? []);
    const captureId = await write(tx, principal, draft, tags);
    await beginWork({ db: tx, jobs }, { workspaceId, captureId }, 'digest');
    return findCapture(tx, workspaceId, captureId);
  });
}
