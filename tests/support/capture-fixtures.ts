import { v7 as newId } from 'uuid';
import * as assert from 'uvu/assert';
import { writeSearch } from '../../domain/captures/search.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';

/* Captures of the tests. Nobody works on them unless the test does. */

/** A service whose workers, if it has any, leave captures alone. */
export function startWithoutDigests(
  environment: Record<string, string> = { AGENT_CONCURRENCY: '0' },
  overrides: Parameters<typeof startTestService>[1] = {},
): Promise<TestService> {
  return startTestService(environment, { handlers: { onCapture: async () => {} }, ...overrides });
}

/** The id of a new note. */
export async function newNote({ call }: Pick<TestWorkspace, 'call'>, content: string, tags: string[] = []) {
  const { status, body, text } = await call('POST /captures', { type: 'note', content, tags });
  assert.is(status, 201, text);
  return body.id as string;
}

export interface Recorded {
  title?: string | null;
  status?: 'recording' | 'processing' | 'completed' | 'failed';
  transcript?: string | null;
  notes?: string | null;
  summary?: string | null;
  subtitle?: string | null;
  tags?: string[];
  /** It can be played. */
  audio?: boolean;
  createdAt?: string;
}

const insert = `insert into captures (workspace_id, id, user_id, type, status, title, subtitle, summary, transcript, notes,
    tags, duration_seconds, recording_id, recorded_at, audio_key, audio_type, failure_code, failure_message,
    failure_retryable, failed_at, created_at)
  values ($1, $2, $3, 'recording', $4, $5, $6, $7, $8, $9, $10, 61, $11, '2026-03-01T09:00:00Z', $12,
    case when $12::text is not null then 'audio/webm' end, $13, case when $13::text is not null then 'It broke.' end,
    case when $13::text is not null then true end, case when $13::text is not null then now() end,
    coalesce($14::timestamptz, now()))`;

/** The id of a recording, made behind the API's back as its intake would leave it. */
export async function newRecording(
  { db }: TestService,
  { workspaceId, userId }: Pick<TestWorkspace, 'workspaceId' | 'userId'>,
  recorded: Recorded = {},
): Promise<{ id: string; recordingId: string }> {
  const { title = null, status = 'completed', transcript = null, notes = null, summary = null } = recorded;
  const { subtitle = null, tags = [], audio = false, createdAt = null } = recorded;
  const [id, recordingId] = [newId(), newId()];
  const failure = status === 'failed' ? 'summary_failed' : null;
  const texts = [title, subtitle, summary, transcript, notes, tags];
  const key = audio ? `${workspaceId}/${recordingId}/audio.webm` : null;
  await db.transaction(async (tx) => {
    await tx.rows(insert, [workspaceId, id, userId, status, ...texts, recordingId, key, failure, createdAt]);
    await writeSearch(tx, { workspaceId, captureId: id });
  });
  return { id, recordingId };
}

/** The work that waits for a capture; undefined when there is none. */
export async function workOf({ db }: TestService, captureId: string) {
  const text = `select step, attempt, extract(epoch from lease_until - now())::float8 as seconds from capture_work
    where capture_id = $1`;
  const [row] = await db.rows<{ step: string; attempt: number; seconds: number }>(text, [captureId]);
  return row;
}

/** Sets the agent minutes that a workspace has left. */
export async function setMinutes({ db }: TestService, { workspaceId }: TestWorkspace, minutes: number): Promise<void> {
  await db.rows('update workspaces set agent_minutes = $2 where id = $1', [workspaceId, minutes]);
}
