/**
 * Whether the window of the row goes on. One that another statement began is at most one window ahead; further ahead is
 * one from before the clock of the database was set back, which would refuse its caller until that time came again. The
 * difference of two instants, because Citus allows only what is immutable here.
 */
const goesOn = `w.window_start - excluded.window_start between interval '0' and interval '1 minute'`;

/**
 * The insert that counts requests in the minute of their bucket, without its RETURNING: the same for both forms of
 * admission. `found` is a relation with a bucket, its quota and requests. Rows are locked in the order of their bucket,
 * so that two processes never deadlock; `used` never passes the quota, so that a refused request costs nothing.
 */
export const counting = (
  found: string,
) => `insert into rate_windows as w (bucket, window_start, quota, used, used_before)
    select bucket, date_trunc('minute', now()), max(quota), least(sum(requests), max(quota)), 0
      from ${found} group by bucket order by bucket
    on conflict (bucket) do update set
      window_start = case when ${goesOn} then w.window_start else excluded.window_start end,
      quota = excluded.quota,
      used_before = case when ${goesOn} then w.used else 0 end,
      used = case when ${goesOn} then greatest(w.used, least(w.used + excluded.used, excluded.quota)) else excluded.used end`;

/**
 * The beginning of both forms of admission, up to the credentials, which each reads in its own way: the requests of a
 * batch, and what is found for each.
 */
export const askedWithFound = `with asked as (
    select asked, decode(secret, 'hex') as secret_hash, decode(address, 'hex') as address_hash, requests
    from unnest($1::int[], $2::text[], $3::text[], $4::int[]) as a(asked, secret, address, requests)
  ), found as materialized (
    select a.asked, a.requests, coalesce(uuid_send(c.connected_app_id), c.secret_hash, a.address_hash) as bucket,
      coalesce(c.rate_limit_per_minute, $5::int) as quota, c.*
    from asked a left join lateral`;

/** Whole seconds until the window that starts at `windowStart` ends, at least 1. */
const resetSeconds = (windowStart: string) =>
  `greatest(1, ceil(extract(epoch from ${windowStart} + interval '1 minute' - now())))::int`;

/** The columns of an `AdmissionRow` out of `found f` and what was `counted k` for its bucket. */
export const admittedColumns = `f.asked, f.bucket, k.quota, k.used, k.used_before as "usedBefore",
    ${resetSeconds('k.window_start')} as "resetSeconds",
    f.id, f.kind, f.name, f.connected_app_id as "grantId", f.workspace_id as "workspaceId", f.user_id as "userId", f.scopes,
    f.rate_limit_per_minute as "rateLimitPerMinute", f.expires_at as "expiresAt",
    f.lacks_second_factor as "lacksSecondFactor"`;
