import type { Db } from '../../db/client.ts';
import { endsTransaction } from '../../db/errors.ts';
import { hasNoSecondFactor, validCredential } from '../../domain/access.ts';
import type { Principal } from '../../domain/context.ts';
import type { Scope } from '../../domain/scopes.ts';
import { counting, resetSeconds } from './counting.ts';

/** A request of the batch with its credential, if it has a valid one, and its count. */
export interface AdmissionRow {
  asked: number;
  bucket: Buffer;
  quota: number;
  used: number;
  usedBefore: number;
  resetSeconds: number;
  id: string | null;
  kind: Principal['kind'];
  name: string;
  grantId: string | null;
  workspaceId: string;
  userId: string;
  scopes: Scope[];
  rateLimitPerMinute: number;
  expiresAt: string | null;
  lacksSecondFactor: boolean;
}

/*
 * The statement of `admission` in three, which the coordinator of Citus runs on tables of its own: credentials, which it
 * has whole, and the counts, which only it has. What a workspace requires is read for sessions alone.
 */

const find = `select a.asked, coalesce(uuid_send(c.connected_app_id), c.secret_hash, decode(a.address, 'hex')) as bucket,
    a.requests, coalesce(c.rate_limit_per_minute, $5::int) as quota, c.*
  from unnest($1::int[], $2::text[], $3::text[], $4::int[]) as a(asked, secret, address, requests)
  left join lateral (
    select c.id, c.kind, c.name, c.connected_app_id, c.workspace_id, c.user_id, c.scopes, c.rate_limit_per_minute,
      c.expires_at, c.secret_hash, c.kind = 'session' and ${hasNoSecondFactor} as lacks_second_factor,
      c.last_used_at is null or c.last_used_at < date_trunc('minute', now()) as is_stale
    from credentials c where c.secret_hash = decode(a.secret, 'hex') and ${validCredential}
    offset 0
  ) c on true`;

const requires = 'select 1 from workspaces where id = $1 and require_second_factor';

const given = `(select decode(f.bucket, 'hex') as bucket, f.quota, f.requests
      from unnest($1::text[], $2::int[], $3::int[]) as f(bucket, quota, requests)) f`;
const count = `${counting(given)}
    returning bucket, quota, used, used_before as "usedBefore", ${resetSeconds('window_start')} as "resetSeconds"`;

/**
 * One row of a reference table: it is changed on every node, so one at a time, in an order that all processes have. When a
 * node is lost it fails, and is left to the next request: workspaces of other nodes are served.
 */
const touch = `update credentials set last_used_at = date_trunc('minute', $3::timestamptz)
  where workspace_id = $1 and id = $2 and (last_used_at is null or last_used_at < date_trunc('minute', $3::timestamptz))`;

interface Found {
  asked: number;
  bucket: Buffer;
  requests: number;
  quota: number;
  id: string | null;
  kind: AdmissionRow['kind'];
  name: string;
  connected_app_id: string | null;
  workspace_id: string;
  user_id: string;
  scopes: AdmissionRow['scopes'];
  rate_limit_per_minute: number;
  expires_at: string | null;
  lacks_second_factor: boolean;
  is_stale: boolean;
}

type Counted = Pick<AdmissionRow, 'bucket' | 'quota' | 'used' | 'usedBefore' | 'resetSeconds'>;

async function requiresSecondFactor(db: Db, found: readonly Found[]): Promise<Set<string>> {
  const ids = new Set(found.filter((each) => each.lacks_second_factor).map((each) => each.workspace_id));
  const requiring = new Set<string>();
  for (const id of ids) if ((await db.rows(requires, [id])).length > 0) requiring.add(id);
  return requiring;
}

/** The rows of `admission` for the same values. */
export async function admissionOnCitus(db: Db, values: readonly unknown[]): Promise<AdmissionRow[]> {
  const found = await db.rows<Found>(find, values);
  const requiring = await requiresSecondFactor(db, found);
  const counted = await db.rows<Counted>(count, [
    found.map(({ bucket }) => bucket.toString('hex')),
    found.map(({ quota }) => quota),
    found.map(({ requests }) => requests),
  ]);
  const stale = found.filter((each) => each.is_stale).toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
  const now = new Date().toISOString();
  for (const { workspace_id: workspaceId, id } of stale) {
    await db.rows(touch, [workspaceId, id, now]).catch((error: unknown) => {
      if (!endsTransaction(error)) throw error;
    });
  }
  const byBucket = new Map(counted.map((each) => [each.bucket.toString('base64'), each]));
  return found.flatMap((each) => {
    const window = byBucket.get(each.bucket.toString('base64'));
    return window ? [rowOf(each, window, requiring)] : [];
  });
}

function rowOf(found: Found, window: Counted, requiring: ReadonlySet<string>): AdmissionRow {
  return {
    ...window,
    asked: found.asked,
    id: found.id,
    kind: found.kind,
    name: found.name,
    grantId: found.connected_app_id,
    workspaceId: found.workspace_id,
    userId: found.user_id,
    scopes: found.scopes,
    rateLimitPerMinute: found.rate_limit_per_minute,
    expiresAt: found.expires_at,
    lacksSecondFactor: found.lacks_second_factor && requiring.has(found.workspace_id),
  };
}
