import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';

const hour = 60 * 60 * 1000;

const sweeps = [
  `delete from idempotency_keys where (workspace_id, credential_id, operation, path, key) in (
    select workspace_id, credential_id, operation, path, key from idempotency_keys
    where created_at < now() - interval '24 hours' limit 5000)`,
  `delete from password_resets where token_hash in (
    select token_hash from password_resets where expires_at < now() - interval '1 day' limit 5000)`,
  `delete from sign_in_attempts where (account, address) in (
    select account, address from sign_in_attempts
    where greatest(window_start, coalesce(trusted_at, window_start)) < now() - interval '90 days'
      or (trusted_at is null and window_start < now() - interval '1 day') limit 5000)`,
  `delete from rate_windows where bucket in (
    select bucket from rate_windows where window_start < now() - interval '1 hour' limit 5000)`,
];

/** Deletes what has expired: idempotency keys after 24 hours, rate counts after one. */
export async function sweep(db: Db): Promise<void> {
  for (const text of sweeps) {
    for (let deleted = 5000; deleted === 5000; ) {
      const [row] = await db.rows<{ deleted: number }>(
        `with gone as (${text} returning 1) select count(*)::int as deleted from gone`,
        [],
      );
      deleted = row?.deleted ?? 0;
    }
  }
}

/** Sweeps every hour, on every process; returns the function that stops it. */
export function startSweeps(db: Db, log: Logger): () => void {
  const run = () =>
    sweep(db).catch((error: unknown) => log.warn({ err: error }, 'a sweep failed; the next one is in an hour'));
  const timer = setInterval(run, hour);
  timer.unref();
  return () => clearInterval(timer);
}
