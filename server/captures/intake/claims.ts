import type { Db } from '../../../db/client.ts';
import { hashSecret } from '../../../db/secrets.ts';
import type { StopReason } from '../../../routers/captures/recording.ts';
import { recordingsChannel, tellIntake } from '../../../routers/captures/recording-news.ts';
import { conflict, Failure } from '../../../routers/errors.ts';
import type { CaptureRef } from '../../../routers/jobs.ts';

export type MediaType = 'audio/webm' | 'audio/wav';

/** A recording as one connection holds it. */
export interface Claim extends CaptureRef {
  recordingId: string;
  /** The connection. */
  holder: string;
  mediaType: MediaType | null;
  maxSeconds: number;
  /** It showed the resume token, not the first one. */
  resumes: boolean;
  /** Who held it until now and may still be writing, for at most `forMs` more. */
  before: { holder: string; forMs: number } | null;
}

interface Found extends Omit<Claim, 'holder' | 'before'> {
  before: string | null;
  beforeMs: number | null;
  spent: boolean;
  expired: boolean;
  stopped: boolean;
}

// The token names its workspace, as a credential does. Whoever left the workspace records no more.
const find = `select r.workspace_id as "workspaceId", r.id as "recordingId", r.capture_id as "captureId",
    r.media_type as "mediaType", r.max_seconds as "maxSeconds", r.holder as before,
    (extract(epoch from r.lease_until - clock_timestamp()) * 1000)::float8 as "beforeMs",
    r.resume_hash is not null as spent, r.resume_hash is not distinct from $1 as resumes,
    r.token_expires_at <= now() as expired, r.stopped_at is not null as stopped
  from recordings r
  where (r.token_hash = $1 or r.resume_hash = $1) and exists (select from members m
    where m.workspace_id = r.workspace_id and m.user_id = r.user_id and m.removed_at is null)
  for update of r`;
// A lease never gets shorter: who comes next must be able to wait for the one before this one too.
const take = `update recordings set holder = $3, resume_hash = coalesce(resume_hash, $4),
    lease_until = greatest(lease_until, clock_timestamp() + $5 * interval '1 millisecond')
  where workspace_id = $1 and id = $2`;

/** 401: the token opens no recording (any more). The scheme is the subprotocol's; no other credential would do. */
export function badToken(message: string, code: 'missing_credentials' | 'invalid_api_key'): Failure {
  return new Failure({ status: 401, code, message, headers: { 'WWW-Authenticate': 'Tandem-Recording' } });
}

const unknown =
  'This token opens no recording: it is unknown, spent or expired. Resume with the resumeToken of the first frame, or start a new recording.';

/**
 * Makes the connection `holder` the one that may add audio, in place of any other. The first one spends the token and
 * leaves `resumeHash`; every later one shows the resume token. @throws Failure 401, 409 when it was stopped.
 */
export function takeOver(
  pool: Db,
  token: string,
  { holder, resumeHash, leaseMs }: { holder: string; resumeHash: Buffer; leaseMs: number },
): Promise<Claim> {
  return pool.transaction(async (db) => {
    const [found] = await db.rows<Found>(find, [hashSecret(token)]);
    if (!found || (!found.resumes && (found.spent || found.expired))) throw badToken(unknown, 'invalid_api_key');
    const { before, beforeMs, spent: _, expired: __, stopped, ...recording } = found;
    if (stopped) {
      const message = 'This recording was stopped. What was received is kept; start a new one to record more.';
      throw conflict(message, { reason: 'recording_stopped' });
    }
    await db.rows(take, [found.workspaceId, found.recordingId, holder, resumeHash, leaseMs]);
    await tellIntake(db, { recordingId: found.recordingId });
    const isHeld = before !== null && beforeMs !== null && beforeMs > 0;
    return { ...recording, holder, before: isHeld ? { holder: before, forMs: beforeMs } : null };
  });
}

/** What a connection tells of its recording from time to time. */
export interface Progress {
  /** What it holds so far, as its number of chunks; null while that is not known yet. */
  chunks: number | null;
  sizeBytes: number | null;
  /** Since audio was last made durable; null when none was since this was last told. */
  quietMs: number | null;
}

const remember = `chunks = coalesce(m.chunks, r.chunks), size_bytes = coalesce(m.size_bytes, r.size_bytes),
      last_audio_at = coalesce(now() - m.quiet_ms * interval '1 millisecond', r.last_audio_at)`;
const release = `with m (workspace_id, id, holder, chunks, size_bytes, quiet_ms) as (
    values ($1::uuid, $2::uuid, $3::uuid, $4::int, $5::bigint, $6::float8)
  ), freed as (
    update recordings r set holder = null, lease_until = null, ${remember} from m
    where r.workspace_id = m.workspace_id and r.id = m.id and r.holder = m.holder
  ) select pg_notify('${recordingsChannel}', $7)`;

/** Lets go of a recording: this connection starts no write any more and none is under way. Who waits for it is told. */
export async function letGo(db: Db, claim: Claim, { chunks, sizeBytes, quietMs }: Progress): Promise<void> {
  const { workspaceId, recordingId, holder } = claim;
  const news = JSON.stringify({ recordingId, letGo: holder });
  await db.rows(release, [workspaceId, recordingId, holder, chunks, sizeBytes, quietMs, news]);
}

/** How a claim stands after its renewal. `lapsed`: it was stopped, and the lease had run out by then. */
export interface Standing {
  holder: string;
  is: 'held' | 'replaced' | 'erased' | 'lapsed';
  /** Why it was stopped; null while it runs. */
  stopped: StopReason | null;
}

/*
 * A lease that ran out may come back to life, as long as nobody else took the recording and it was not stopped: once it
 * is, its audio may be joined already.
 */
const renewal = `with m as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::float8[])
      as m(workspace_id, id, holder, chunks, size_bytes, quiet_ms)
  ), kept as (
    update recordings r set lease_until = greatest(r.lease_until, clock_timestamp() + $7 * interval '1 millisecond'), ${remember}
    from m where r.workspace_id = m.workspace_id and r.id = m.id and r.holder = m.holder
      and (r.stopped_at is null or r.lease_until > clock_timestamp())
    returning r.holder, r.stop_reason
  )
  select m.holder, coalesce(k.stop_reason, r.stop_reason) as stopped,
    case when k.holder is not null then 'held' when r.id is null then 'erased'
      when coalesce(r.holder, m.holder) = m.holder then 'lapsed' else 'replaced' end as "is"
  from m left join kept k on k.holder = m.holder
    left join recordings r on r.workspace_id = m.workspace_id and r.id = m.id`;

/** Renews the leases of many connections of one process at once. */
export function renew(
  db: Db,
  held: readonly { claim: Claim; progress: Progress }[],
  leaseMs: number,
): Promise<Standing[]> {
  const column = <T>(of: (each: (typeof held)[number]) => T) => held.map(of);
  return db.rows<Standing>(renewal, [
    column(({ claim }) => claim.workspaceId),
    column(({ claim }) => claim.recordingId),
    column(({ claim }) => claim.holder),
    column(({ progress }) => progress.chunks),
    column(({ progress }) => progress.sizeBytes),
    column(({ progress }) => progress.quietMs),
    leaseMs,
  ]);
}

// It takes away what ran out: a renewal that is under way just now then finds nothing to renew.
const over = `with taken as (
    update recordings set holder = null, lease_until = null
    where workspace_id = $1 and capture_id = $2 and stopped_at is not null and lease_until < clock_timestamp()
    returning 1
  )
  select stopped_at is not null and (holder is null or exists (select from taken)) as over
  from recordings where workspace_id = $1 and capture_id = $2`;

/**
 * Whether no connection adds audio to a stopped recording any more: only then may its chunks be joined. True also when
 * there is no such recording.
 */
export async function intakeIsOver(db: Db, { workspaceId, captureId }: CaptureRef): Promise<boolean> {
  const [row] = await db.rows<{ over: boolean }>(over, [workspaceId, captureId]);
  return row?.over ?? true;
}

const format = `update recordings set media_type = $4
  where workspace_id = $1 and id = $2 and holder = $3 and (media_type is null or media_type = $4)`;

/** Keeps what kind of audio it is, once known. */
export async function keepFormat(db: Db, claim: Claim, mediaType: MediaType): Promise<void> {
  await db.rows(format, [claim.workspaceId, claim.recordingId, claim.holder, mediaType]);
}
