import type { Db } from '../db/client.ts';

/** Work that one process does for all, from time to time. */
export interface PeriodicWork {
  /** Its row in `sweeps`. */
  name: string;
  /** It begins only where no process has begun it, or gone on with it, since then. */
  pauseMinutes: number;
  /** How often a process that is at it says so, in milliseconds; another time only in tests. */
  renewMs?: number | undefined;
}

const begin = `insert into sweeps as s (name) values ($1)
  on conflict (name) do update set begun_at = now() where s.begun_at < now() - make_interval(mins => $2::int)
  returning 1`;
const renew = 'update sweeps set begun_at = now() where name = $1';
const failed = `update sweeps set begun_at = now() - make_interval(mins => greatest(0, $2::int - 30)) where name = $1`;

/**
 * Does the work, unless a process has it in progress or did it within the pause; after a failure it is done again when
 * half an hour has passed, however long the pause is. Returns whether it did.
 */
export async function runPeriodically(
  db: Db,
  { name, pauseMinutes, renewMs = 5 * 60_000 }: PeriodicWork,
  work: () => Promise<void>,
): Promise<boolean> {
  if ((await db.rows(begin, [name, pauseMinutes])).length === 0) return false;
  // Where it cannot be renewed, the work itself fails too, or ends soon.
  const renewal = setInterval(() => void db.rows(renew, [name]).catch(() => {}), renewMs);
  renewal.unref();
  try {
    await work();
  } catch (error) {
    await db.rows(failed, [name, pauseMinutes]).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewal);
  }
  return true;
}
