import type { Db } from '../../db/client.ts';
import { shifted } from '../../db/engine/index.ts';
import { lockAnywhere, type Search } from '../../db/lock-anywhere.ts';
import { hashSecret } from '../../db/secrets.ts';
import { hasNoSecondFactor, lacksRequiredFactor, requiringFactor } from '../../domain/access.ts';
import type { StopReason } from '../../domain/captures/recording.ts';
import { notifyIntake } from '../../domain/captures/recording.ts';
import { conflict, Failure } from '../../domain/errors.ts';
import type { CaptureRef } from '../../domain/jobs.ts';

export type MediaType = 'audio/webm' | 'audio/wav';

/** The hold of one connection on a recording. */
export interface Claim extends CaptureRef {
  recordingId: string;
  /** Who records. */
  userId: string;
  /** The connection. */
  holder: string;
  mediaType: MediaType | null;
  maxSeconds: number;
  /** Its token was the resume token, not the first one. */
  resumes: boolean;
  /** The connection that held it until now and may still write, for at most `forMs` more. */
  previous: { holder: string; forMs: number } | null;
}

interface Found extends Omit<Claim, 'holder' | 'previous'> {
  previous: string | null;
  previousMs: number | null;
  spent: boolean;
  expired: boolean;
  stopped: boolean;
}

/**
 * Whether the person of the recording `r` may record: not after they left the workspace, nor in a session that was
 * ended. A session that merely expires ends no recording.
 */
const isAllowed = `exists (select from members m
    where m.workspace_id = r.workspace_id and m.user_id = r.user_id and m.removed_at is null)
  and (select c.revoked_at from credentials c where c.user_id = r.user_id and c.id = r.credential_id) is null`;

// The token identifies its workspace, as a credential does.
const find = ({
  within,
  lock,
}: Search) => `select r.workspace_id as "workspaceId", r.id as "recordingId", r.user_id as "userId", r.capture_id as "captureId",
    r.media_type as "mediaType", r.max_seconds as "maxSeconds", r.holder as previous,
    (extract(epoch from r.lease_until - clock_timestamp()) * 1000)::float8 as "previousMs",
    r.resume_hash is not null as spent, r.resume_hash is not distinct from $1 as resumes,
    r.token_expires_at <= now() as expired, r.stopped_at is not null as stopped
  from recordings r
  where (r.token_hash = $1 or r.resume_hash = $1) and ${isAllowed}${within('r.workspace_id')}
  ${lock('for update of r')}`;
// A lease never gets shorter: the next connection must wait for the previous one of this connection too.
const take = `update recordings set holder = $3, resume_hash = coalesce(resume_hash, $4),
    lease_until = greatest(lease_until, clock_timestamp() + $5 * interval '1 millisecond')
  where workspace_id = $1 and id = $2`;

/** 401: the token opens no recording (any more). The scheme is the subprotocol's; no other credential is accepted. */
export function badToken(message: string, code: 'missing_credentials' | 'invalid_api_key'): Failure {
  return new Failure({ status: 401, code, message, headers: { 'WWW-Authenticate': 'Tandem-Recording' } });
}

const unknownToken =
  'This token is unknown, used or expired. Resume with the resumeToken of the first frame, or start a new recording.';

/**
 * Makes the connection `holder` the only one that may add audio. The first connection uses up the token and stores
 * `resumeHash`; later ones need the resume token. `onFound` is called before, and may refuse.
 * @throws Failure 401, 409 when it was stopped.
 */
export function takeOver(
  pool: Db,
  token: string,
  {
    holder,
    resumeHash,
    leaseMs,
    onFound,
  }: { holder: string; resumeHash: Buffer; leaseMs: number; onFound: (workspaceId: string) => void },
): Promise<Claim> {
  return pool.transaction(async (db) => {
    const [found] = await lockAnywhere<Found>(db, find, [hashSecret(token)], 1);
    if (!found || (!found.resumes && (found.spent || found.expired))) throw badToken(unknownToken, 'invalid_api_key');
    const { previous, previousMs, spent: _, expired: __, stopped, ...recording } = found;
    if (stopped) {
      const message =
        'This recording was stopped. The audio that was received is kept; start a new recording to record more.';
      throw conflict(message, { reason: 'recording_stopped' });
    }
    if (await lacksRequiredFactor(db, found.workspaceId, found.userId)) {
      throw badToken('The workspace requires a second factor. Set one up, then resume.', 'invalid_api_key');
    }
    onFound(found.workspaceId);
    await db.rows(take, [found.workspaceId, found.recordingId, holder, resumeHash, leaseMs]);
    notifyIntake(db, { recordingId: found.recordingId });
    const isHeld = previous !== null && previousMs !== null && previousMs > 0;
    return { ...recording, holder, previous: isHeld ? { holder: previous, forMs: previousMs } : null };
  });
}

/** What a connection reports about its recording with each renewal. */
export interface Progress {
  /** Number of chunks so far; null while that is not known yet. */
  chunks: number | null;
  sizeBytes: number | null;
  /** Since audio was last made durable; null when none was since the last report. */
  quietMs: number | null;
}

const saveProgress = `chunks = coalesce(m.chunks, r.chunks), size_bytes = coalesce(m.size_bytes, r.size_bytes),
      last_audio_at = coalesce(${shifted('now()', "- m.quiet_ms * interval '1 millisecond'")}, r.last_audio_at)`;
const release = `with m (workspace_id, id, holder, chunks, size_bytes, quiet_ms) as (
    values ($1::uuid, $2::uuid, $3::uuid, $4::int, $5::bigint, $6::float8)
  ) update recordings r set holder = null, lease_until = null, ${saveProgress} from m
    where r.workspace_id = m.workspace_id and r.id = m.id and r.holder = m.holder`;

/**
 * Releases a recording and notifies the next connection. From then on this connection must start no write, and none may
 * be in progress.
 */
export async function releaseClaim(db: Db, claim: Claim, { chunks, sizeBytes, quietMs }: Progress): Promise<void> {
  const { workspaceId, recordingId, holder } = claim;
  await db.rows(release, [workspaceId, recordingId, holder, chunks, sizeBytes, quietMs]);
  notifyIntake(db, { recordingId, letGo: holder });
}

/**
 * The status of a claim after its renewal. `lapsed`: the recording was stopped, and the lease had run out by then.
 * `revoked`: the person is no longer a member, lacks a second factor that the workspace requires, or has had the
 * session ended.
 */
export interface LeaseStatus {
  holder: string;
  status: 'held' | 'replaced' | 'erased' | 'lapsed' | 'revoked';
  /** Why it was stopped; null while it runs. */
  stopped: StopReason | null;
}

/*
 * A lease that ran out is renewed if nobody else took the recording and it was not stopped: once it was stopped, its
 * audio may have been joined already.
 */
const renewal = `with m as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::float8[])
      as m(workspace_id, id, holder, chunks, size_bytes, quiet_ms)
  ), renewed as (
    update recordings r set lease_until = greatest(r.lease_until, clock_timestamp() + $7 * interval '1 millisecond'), ${saveProgress}
    from m where r.workspace_id = m.workspace_id and r.id = m.id and r.holder = m.holder
      and (r.stopped_at is null or r.lease_until > clock_timestamp()) and ${isAllowed}
    returning r.holder, r.stop_reason
  )
  select m.holder, coalesce(n.stop_reason, r.stop_reason) as stopped,
    case when n.holder is not null then 'held' when r.id is null then 'erased'
      when r.holder = m.holder and not (${isAllowed}) then 'revoked'
      when coalesce(r.holder, m.holder) = m.holder then 'lapsed' else 'replaced' end as status
  from m left join renewed n on n.holder = m.holder
    left join recordings r on r.workspace_id = m.workspace_id and r.id = m.id`;

interface Held {
  claim: Claim;
  progress: Progress;
}

const factorless = `select c.user_id as id from unnest($1::uuid[]) c(user_id) where ${hasNoSecondFactor}`;

/** Which of these lack a second factor that their workspace requires. */
async function withoutFactor(db: Db, held: readonly Held[]): Promise<ReadonlySet<Held>> {
  const idsOf = async (text: string, ids: readonly string[]) =>
    new Set((await db.rows<{ id: string }>(text, [[...new Set(ids)]])).map(({ id }) => id));
  const requiring = await idsOf(
    requiringFactor,
    held.map(({ claim }) => claim.workspaceId),
  );
  const concerned = held.filter(({ claim }) => requiring.has(claim.workspaceId));
  if (concerned.length === 0) return new Set();
  const lacking = await idsOf(
    factorless,
    concerned.map(({ claim }) => claim.userId),
  );
  return new Set(concerned.filter(({ claim }) => lacking.has(claim.userId)));
}

/** Renews the leases of many connections of one process at once. */
export async function renew(db: Db, all: readonly Held[], leaseMs: number): Promise<LeaseStatus[]> {
  const closed = await withoutFactor(db, all);
  const held = all.filter((each) => !closed.has(each));
  const column = <T>(of: (each: Held) => T) => held.map(of);
  const revoked = [...closed].map(({ claim }) => ({ holder: claim.holder, status: 'revoked' as const, stopped: null }));
  const renewed = await db.rows<LeaseStatus>(renewal, [
    column(({ claim }) => claim.workspaceId),
    column(({ claim }) => claim.recordingId),
    column(({ claim }) => claim.holder),
    column(({ progress }) => progress.chunks),
    column(({ progress }) => progress.sizeBytes),
    column(({ progress }) => progress.quietMs),
    leaseMs,
  ]);
  return [...renewed, ...revoked];
}

// It clears an expired lease: a concurrent renewal then finds nothing to renew.
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

/** Stores the type of the audio, once known. */
export async function saveFormat(db: Db, claim: Claim, mediaType: MediaType): Promise<void> {
  await db.rows(format, [claim.workspaceId, claim.recordingId, claim.holder, mediaType]);
}
