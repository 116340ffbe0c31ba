import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/client.ts';
import { conflict, Failure, invalid, translate } from './errors.ts';

const waitForTwinMs = 5000;
const deepest = 64;

interface Caller {
  workspaceId: string;
  credentialId: string;
}

interface Keyed {
  id: string;
  path: string;
}

interface World {
  db: Db;
  reply: { replayed: boolean; etag?: string };
}

type Outcome = { ok: true; data?: unknown } | { ok: false; error: Error };

/** Canonical JSON: keys sorted, so that equal bodies have one text. @throws Failure 400 when it nests too deeply. */
export function canonical(value: unknown, depth = 0): string {
  if (depth > deepest) throw invalid(null, `The body nests deeper than ${deepest} levels.`);
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each, depth + 1)}`).join(',')}}`;
}

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

// The time-out is for the claim alone: what has it may wait for locks of its own as long as any other request.
const claim = `insert into idempotency_keys as k (workspace_id, credential_id, operation, path, key, fingerprint)
  select $1, $2, $3, $4, $5, $6 from set_config('lock_timeout', $7, true)
  on conflict (workspace_id, credential_id, operation, path, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning set_config('lock_timeout', '0', true)`;
const find = `select fingerprint, answer from idempotency_keys
  where workspace_id = $1 and credential_id = $2 and operation = $3 and path = $4 and key = $5`;
const keep = `update idempotency_keys set answer = $6
  where workspace_id = $1 and credential_id = $2 and operation = $3 and path = $4 and key = $5`;

/** The fields of `input` that stand in the path template, and the rest: the body. */
function splitInput(input: unknown, template: string): { path: Record<string, unknown>; body: unknown } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { path: {}, body: input };
  const inPath = ([name]: [string, unknown]) => template.includes(`{${name}}`);
  const fields = Object.entries(input);
  const body = Object.fromEntries(fields.filter((field) => !inPath(field)));
  return { path: Object.fromEntries(fields.filter(inPath)), body };
}

/** An answer as it is stored, with the entity tag that was told beside it. */
interface Stored {
  data: unknown;
  etag?: string;
}

/** What is stored. Before there were tags it was the answer alone, which as every object names its type. */
function storedOf(json: string): Stored {
  const answer = JSON.parse(json) as Stored | { object: string };
  return 'object' in answer ? { data: answer } : answer;
}

class RolledBack extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    // As the cause, so that a deadlock is told apart from a refusal.
    super('rolled back', { cause: outcome.ok ? undefined : outcome.error });
    this.outcome = outcome;
  }
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '55P03';
}

function stillAtWork(): Failure {
  const message = 'The first request with this Idempotency-Key is still at work. Try again in a second.';
  return conflict(message, { reason: 'idempotency_in_progress', retryAfterSeconds: 1 });
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

/** Requests of this process that are at work, so that their twins wait here instead of each holding a connection. */
const atWork = new Map<string, Promise<unknown>>();

/** Runs when no twin in this process is at work; `patience` is what is left of the 5 s for one in another process. */
async function turnOf<Result>(name: string, run: (patience: string) => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + waitForTwinMs;
  for (let first = atWork.get(name); first; first = atWork.get(name)) {
    const left = deadline - Date.now();
    if (left <= 0) throw stillAtWork();
    await Promise.race([first.catch(() => {}), sleep(left, undefined, { ref: false })]);
  }
  const running = run(`${Math.max(100, deadline - Date.now())}ms`);
  atWork.set(name, running);
  try {
    return await running;
  } finally {
    atWork.delete(name);
  }
}

/**
 * Runs `work` at most once per key (CONTRACT §4): the claim, the work and the stored answer commit in one transaction.
 * A twin blocks on the claim and then replays the answer; a failure takes the claim back with the work.
 *
 * A key that was used with another body answers 409, but a request that is also invalid or names something unknown
 * must say so first (400, 404 before 409): the work is tried and rolled back to find out.
 * @throws Failure 409 when a twin is still at work after 5 s, or the key was used with another body.
 */
export async function answerOnce<Result extends Outcome>(
  world: World,
  caller: Caller,
  key: string,
  operation: Keyed,
  input: unknown,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const { body, path } = splitInput(input, operation.path);
  const fingerprint = createHash('sha256').update(canonical(body)).digest();
  const row = [caller.workspaceId, caller.credentialId, operation.id, canonical(path), key];
  try {
    return await turnOf(row.join('\n'), (patience) =>
      world.db.transaction(async (tx) => {
        const claimed = await tx.rows(claim, [...row, fingerprint, patience]);
        if (claimed.length > 0) {
          const outcome = await work(tx);
          if (!outcome.ok) throw new RolledBack(outcome);
          const { etag } = world.reply;
          const answer: Stored = { data: outcome.data, ...(etag !== undefined && { etag }) };
          await tx.rows(keep, [...row, JSON.stringify(answer)]);
          return outcome;
        }
        const [stored] = await tx.rows<{ fingerprint: Buffer; answer: string }>(find, row);
        if (!stored) throw stillAtWork();
        if (!fingerprint.equals(stored.fingerprint)) {
          const outcome = await work(tx);
          const told = !outcome.ok && [400, 404].includes(translate(outcome.error).problem.status);
          throw told ? new RolledBack(outcome) : keyReused();
        }
        const { data, etag } = storedOf(stored.answer);
        world.reply.replayed = true;
        if (etag !== undefined) world.reply.etag = etag;
        return { ok: true, marker: 'middlewareMarker', data } as unknown as Result;
      }),
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome as Result;
    throw isLockTimeout(error) ? stillAtWork() : error;
  }
}
