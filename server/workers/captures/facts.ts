import type { Db } from '../../../db/client.ts';
import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import type { CaptureStep } from '../../../domain/captures/work.ts';

/** A capture as a step finds it. */
export interface CaptureFacts {
  step: CaptureStep;
  /** Claims of this step that saved nothing, with this one. */
  claims: number;
  /** Faults of this step so far. */
  tries: number;
  type: 'note' | 'recording';
  title: string | null;
  content: string | null;
  transcript: string | null;
  notes: string | null;
  language: string | null;
  recordingId: string | null;
  audioKey: string | null;
  audioType: 'audio/webm' | 'audio/wav' | null;
  /** When it was recorded, else made. */
  at: string;
  /** IANA time zone of the workspace. */
  timezone: string;
  mediaType: 'audio/webm' | 'audio/wav' | null;
  stopReason: string | null;
}

const facts = `select k.step, k.claims, k.tries, c.type, c.title, c.content, c.transcript, c.notes, c.language, c.recording_id as "recordingId",
    c.audio_key as "audioKey", c.audio_type as "audioType", coalesce(c.recorded_at, c.created_at) as at, w.timezone,
    r.media_type as "mediaType", r.stop_reason as "stopReason"
  from captures c join capture_work k on k.workspace_id = $1 and k.capture_id = c.id and k.attempt = $3
  join workspaces w on w.id = c.workspace_id
  left join recordings r on r.workspace_id = c.workspace_id and r.capture_id = c.id
  where c.workspace_id = $1 and c.id = $2`;

/** The capture as it is now; null when it was erased meanwhile, or the lease is lost. */
export async function captureFacts(
  db: Db,
  { workspaceId, captureId, attempt }: CaptureClaim,
): Promise<CaptureFacts | null> {
  const [row] = await db.rows<CaptureFacts>(facts, [workspaceId, captureId, attempt]);
  return row ?? null;
}

const exists = 'select 1 from captures where workspace_id = $1 and id = $2';

/** Whether it was not erased. */
export async function captureExists(db: Db, { workspaceId, captureId }: CaptureClaim): Promise<boolean> {
  return (await db.rows(exists, [workspaceId, captureId])).length > 0;
}

const people = `select m.user_id as id, u.name from members m join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.removed_at is null order by m.user_id limit 500`;

/** The people of a workspace, by whose names todos may be suggested to them. */
export function peopleOf(db: Db, workspaceId: string): Promise<{ id: string; name: string }[]> {
  return db.rows(people, [workspaceId]);
}
