import { createHash } from 'node:crypto';
import type postgres from 'postgres';

/** The authenticated caller, and its rate limit in the current minute. */
export interface Admitted {
  workspaceId: string;
  userId: string;
  credentialId: string;
  quota: number;
  remaining: number;
  reset: number;
}

interface Row extends Omit<Admitted, 'remaining'> {
  hash: string;
  used: number;
  usedBefore: number;
  scopes: string[];
}

interface Queued {
  hash: string;
  done: (admitted: Admitted | null) => void;
  fail: (error: unknown) => void;
}

/* Valid keys and their request counts of the minute, for a batch of requests. */
const statement = `with asked as (
    select decode(hash, 'hex') as hash, n from unnest($1::text[], $2::int[]) as a(hash, n)
  ), found as materialized (
    select a.hash, a.n, c.workspace_id, c.id, c.user_id, c.scopes, c.rate_limit_per_minute as quota, c.last_used_at
    from asked a join credentials c on c.secret_hash = a.hash
    join members m on m.workspace_id = c.workspace_id and m.user_id = c.user_id
    where c.revoked_at is null and (c.expires_at is null or c.expires_at > now()) and m.removed_at is null
  ), counted as (
    insert into rate_windows as w (bucket, window_start, quota, used, used_before)
    select hash, date_trunc('minute', now()), quota, least(n, quota), 0 from found order by hash
    on conflict (bucket) do update set window_start = excluded.window_start, quota = excluded.quota,
      used_before = case when w.window_start < excluded.window_start then 0 else w.used end,
      used = case when w.window_start < excluded.window_start then excluded.used
        else least(w.used + excluded.used, excluded.quota) end
    returning bucket, quota, used, used_before, window_start
  ), touched as (
    update credentials c set last_used_at = date_trunc('minute', now()) from found f
    where c.workspace_id = f.workspace_id and c.id = f.id
      and (f.last_used_at is null or f.last_used_at < date_trunc('minute', now()))
  )
  select encode(f.hash, 'hex') as hash, f.workspace_id as "workspaceId", f.user_id as "userId", f.id as "credentialId", f.scopes, k.quota, k.used,
    k.used_before as "usedBefore", ceil(extract(epoch from k.window_start + interval '1 minute' - now()))::int as reset
  from found f join counted k on k.bucket = f.hash`;

/** Key check and exact request count in batches: requests that arrive while one statement runs share the next. */
export function gateOf(sql: postgres.Sql): (authorization: string | undefined) => Promise<Admitted | null> {
  let queued: Queued[] = [];
  let running = false;

  async function admitBatch(batch: Queued[]): Promise<void> {
    const byHash = new Map<string, Queued[]>();
    for (const each of batch) {
      const group = byHash.get(each.hash);
      if (group) group.push(each);
      else byHash.set(each.hash, [each]);
    }
    const counts = [...byHash.values()].map((group) => group.length);
    const rows = (await sql.unsafe(statement, [[...byHash.keys()], counts], { prepare: true })) as unknown as Row[];
    for (const { hash, used, usedBefore, quota, reset, workspaceId, userId, credentialId, scopes } of rows) {
      const group = byHash.get(hash) ?? [];
      byHash.delete(hash);
      for (const [place, { done }] of group.entries()) {
        const allowed = usedBefore + place < used && scopes.includes('todos:write');
        const remaining = quota - usedBefore - place - 1;
        done(allowed ? { workspaceId, userId, credentialId, quota, reset, remaining } : null);
      }
    }
    for (const group of byHash.values()) for (const { done } of group) done(null);
  }

  async function run(): Promise<void> {
    running = true;
    while (queued.length > 0) {
      const batch = queued;
      queued = [];
      await admitBatch(batch).catch((error: unknown) => {
        for (const { fail } of batch) fail(error);
      });
    }
    running = false;
  }

  return (authorization = '') => {
    const hash = createHash('sha256').update(authorization.slice(7)).digest('hex');
    return new Promise((done, fail) => {
      queued.push({ hash, done, fail });
      if (!running) void run();
    });
  };
}
