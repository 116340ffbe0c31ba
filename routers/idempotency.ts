import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import { timeLimits } from '../db/time-limits.ts';
import { isInTransaction } from '../db/transaction.ts';
import { lastingIdOf } from '../domain/access.ts';
import { canonical, fingerprintOf } from '../domain/canonical-json.ts';
import { Claim, Unclaimed } from '../domain/claim.ts';
import type { Principal } from '../domain/context.ts';
import { conflict, Failure, invalid, translate } from '../domain/errors.ts';

/** A duplicate request waits this long for the first one. */
const maxWaitMs = 5000;
/** For the locks of the work itself. */
const lockTimeout = `${timeLimits.requests.maxLockMs}ms`;

type Caller = Pick<Principal, 'workspaceId' | 'credentialId' | 'grantId'>;

interface Keyed {
  id: string;
  path: string;
  claims: ((body: unknown) => boolean) | null;
}

/** The origin of `db` is of this request alone. */
interface Request {
  db: Db;
  reply: { replayed: boolean; etag?: string };
}

type Outcome = { ok: true; data?: unknown } | { ok: false; error: Error };

/**
 * The key of an `Idempotency-Key` header: 1–255 printable characters, bare or as a quoted string
 * (draft-ietf-httpapi-idempotency-key-header). @throws Failure 400.
 */
export function idempotencyKeyOf(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted ? (quoted[1] ?? '').replace(/\\(["\\])/g, '$1') : header;
  if (/^[\x20-\x7e]{1,255}$/.test(key) && key.trim() !== '') return key;
  throw invalid('Idempotency-Key', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

// The timeout is for the claim alone: the work may wait for its locks as long as that of any other request ($8). The
// claim is sent together with the BEGIN of its transaction; should that fail, nothing is claimed.
const claim = `insert into idempotency_keys as k (workspace_id, credential_id, operation, path, key, fingerprint)
  select $1, $2, $3, $4, $5, $6 from set_config('lock_timeout', $7, true) where ${isInTransaction}
  on conflict (workspace_id, credential_id, operation, path, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning set_config('lock_timeout', $8, true)`;
const find = `select fingerprint, answer from idempotency_keys
  where workspace_id = $1 and credential_id = $2 and operation = $3 and path = $4 and key = $5`;
const store = `update idempotency_keys set answer = $6
  where workspace_id = $1 and credential_id = $2 and operation = $3 and path = $4 and key = $5`;

/** The fields of `input` in the path template, and the others: the body. */
function splitInput(input: unknown, template: string): { path: Record<string, unknown>; body: unknown } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { path: {}, body: input };
  const inPath = ([name]: [string, unknown]) => template.includes(`{${name}}`);
  const fields = Object.entries(input);
  const body = Object.fromEntries(fields.filter((field) => !inPath(field)));
  return { path: Object.fromEntries(fields.filter(inPath)), body };
}

/** A stored answer with its entity tag, and the last event of what it answers. */
interface Stored {
  data: unknown;
  etag?: string;
  eventId?: string;
}

/** Reads a stored answer. Without a tag, older versions stored the answer alone, which has an `object` field. */
function storedOf(json: string): Stored {
  const answer = JSON.parse(json) as Stored | { object: string };
  return 'object' in answer ? { data: answer } : answer;
}

class RolledBack extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    // The cause makes a deadlock distinguishable from a refusal.
    super('rolled back', { cause: outcome.ok ? undefined : outcome.error });
    this.outcome = outcome;
  }
}

function stillInProgress(): Failure {
  const message = 'The first request with this Idempotency-Key is still at work. Try again in a second.';
  return conflict(message, { reason: 'idempotency_in_progress', retryAfterSeconds: 1 });
}

/** @throws Failure 409 for a claim that waited too long for the first request in another process. */
function asInProgress(error: unknown): never {
  throw isDatabaseError('lockTimeout', error) ? stillInProgress() : error;
}

function keyReused(): Failure {
  const param = 'Idempotency-Key';
  const message =
    'This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new request.';
  return new Failure({
    status: 409,
    code: 'idempotency_key_reused',
    message,
    errors: [{ param, code: 'reused', message }],
  });
}

/** Requests in progress in this process: their duplicates wait here instead of each holding a connection. */
const inProgress = new Map<string, Promise<unknown>>();

/** Runs after the duplicates in this process; `claimTimeout` is the rest of the wait, for one in another process. */
async function afterDuplicates<Result>(
  name: string,
  run: (claimTimeout: () => string) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + maxWaitMs;
  for (let first = inProgress.get(name); first; first = inProgress.get(name)) {
    const left = deadline - Date.now();
    if (left <= 0) throw stillInProgress();
    await Promise.race([first.catch(() => {}), sleep(left, undefined, { ref: false })]);
  }
  const running = run(() => `${Math.max(100, deadline - Date.now())}ms`);
  inProgress.set(name, running);
  try {
    return await running;
  } finally {
    inProgress.delete(name);
  }
}

type Row = [workspaceId: string, credentialId: string, operation: string, path: string, key: string];

function isUnclaimed(error: unknown): boolean {
  return error instanceof Unclaimed || (error instanceof Error && isUnclaimed(error.cause));
}

/** Has `work` make the claim in its own statement. Null when it did nothing, because it could not at once. */
async function inOneStatement<Result extends Outcome>(
  db: Db,
  row: Row,
  fingerprint: Buffer,
  work: (db: Db, claim: Claim) => Promise<Result>,
): Promise<Result | null> {
  const [workspaceId, credentialId, operation, path, key] = row;
  const claim = new Claim(db, { workspaceId, credentialId, operation, path, key, fingerprint });
  const outcome = await work(claim.onlyDb, claim);
  if (!outcome.ok) return isUnclaimed(outcome.error) ? null : outcome;
  if (!claim.isMade) throw new Error(`${operation} was answered without the claim of its key`);
  return outcome;
}

/**
 * Runs `work` at most once per key (CONTRACT §4): the claim, the work and the stored answer commit in one transaction.
 * The access tokens of one connection of an app share their keys.
 * A duplicate blocks on the claim and then replays the answer; a failure rolls the claim back with the work.
 *
 * A key that was used with another body answers 409, but 400 and 404 come first: the work is tried and rolled back to
 * find out. @throws Failure 409 when the first request is in progress after 5 s, or the key was used with another body.
 */
export async function answerOnce<Result extends Outcome>(
  request: Request,
  caller: Caller,
  key: string,
  operation: Keyed,
  input: unknown,
  work: (db: Db, claim?: Claim) => Promise<Result>,
): Promise<Result> {
  const { body, path } = splitInput(input, operation.path);
  const fingerprint = fingerprintOf(body);
  const row: Row = [caller.workspaceId, lastingIdOf(caller), operation.id, canonical(path), key];
  const attempt = async (tx: Db, claimed: Promise<object[]>): Promise<Result> => {
    const isFirst = (await claimed.catch(asInProgress)).length > 0;
    if (isFirst) {
      const outcome = await work(tx);
      if (!outcome.ok) throw new RolledBack(outcome);
      const { etag } = request.reply;
      const { eventId } = tx.origin;
      const answer: Stored = {
        data: outcome.data,
        ...(etag !== undefined && { etag }),
        ...(eventId !== undefined && { eventId }),
      };
      // Not waited for: it is sent together with the COMMIT.
      tx.rows(store, [...row, JSON.stringify(answer)]).catch(() => {});
      return outcome;
    }
    const [stored] = await tx.rows<{ fingerprint: Buffer; answer: string }>(find, row);
    if (!stored) throw stillInProgress();
    if (!fingerprint.equals(stored.fingerprint)) {
      const outcome = await work(tx);
      const isOwnFault = !outcome.ok && [400, 404].includes(translate(outcome.error).problem.status);
      throw isOwnFault ? new RolledBack(outcome) : keyReused();
    }
    const { data, etag, eventId } = storedOf(stored.answer);
    request.reply.replayed = true;
    if (etag !== undefined) request.reply.etag = etag;
    tx.origin.eventId = eventId;
    return { ok: true, marker: 'middlewareMarker', data } as unknown as Result;
  };
  try {
    return await afterDuplicates(row.join('\n'), async (claimTimeout) => {
      const outcome = operation.claims?.(body) ? await inOneStatement(request.db, row, fingerprint, work) : null;
      if (outcome) return outcome;
      const values = [...row, fingerprint, claimTimeout(), lockTimeout];
      return request.db.transaction(attempt, { text: claim, values });
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome as Result;
    throw error;
  }
}
