/**
 * The insert that counts requests in the minute of their bucket, without its RETURNING: the same for both forms of
 * admission. `found` is a relation with a bucket, its quota and requests. Rows are locked in the order of their bucket, so
 * that two processes never deadlock; `used` never passes the quota, so that a refused request costs nothing.
 */
export const counting = (
  found: string,
) => `insert into rate_windows as w (bucket, window_start, quota, used, used_before)
    select bucket, date_trunc('minute', now()), max(quota), least(sum(requests), max(quota)), 0
      from ${found} group by bucket order by bucket
    on conflict (bucket) do update set
      window_start = greatest(w.window_start, excluded.window_start),
      quota = excluded.quota,
      used_before = case when w.window_start < excluded.window_start then 0 else w.used end,
      used = case when w.window_start < excluded.window_start then excluded.used
        else greatest(w.used, least(w.used + excluded.used, excluded.quota)) end`;

/** Whole seconds until the window that starts at `windowStart` ends, at least 1. */
export const resetSeconds = (windowStart: string) =>
  `greatest(1, ceil(extract(epoch from ${windowStart} + interval '1 minute' - now())))::int`;
