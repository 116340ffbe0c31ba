import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { isDatabaseError } from './errors.ts';

/** A migration that waits for a lock on a table, and connections that hold one on the same tables. */
export interface MigrationWait {
  migration: string;
  holders: { pid: number; application: string }[];
}

/** Begins a transaction whose waits for locks are short: every request for the same table waits behind such a wait. */
export const beginWithShortWaits = `begin; set local lock_timeout = '2s'`;

/** The longest pause between two tries, in ms. */
const maxPauseMs = 10_000;

/** The connections that hold locks on what the statements name, those with the oldest transactions first. */
async function holdersOf(
  connection: postgres.ReservedSql,
  statements: readonly string[],
): Promise<MigrationWait['holders']> {
  const words = [...new Set(statements.join(' ').match(/\w+/g))];
  const rows = await connection<MigrationWait['holders']>`
    select pid, min(a.application_name) as application from pg_locks l
      join pg_class c on c.oid = l.relation join pg_stat_activity a using (pid)
    where l.granted and pid <> pg_backend_pid() and c.relname = any(${words})
      and l.database = (select oid from pg_database where datname = current_database())
    group by pid order by min(a.xact_start), pid limit 5`;
  return [...rows];
}

/**
 * Repeats `work`, which applies the statements of a migration after `beginWithShortWaits`, until it gets all locks,
 * however long others hold them: between two tries the requests that waited behind it go on.
 */
export async function repeatUntilUnlocked(
  connection: postgres.ReservedSql,
  { tag, statements }: { tag: string; statements: readonly string[] },
  onWait: (wait: MigrationWait) => void,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error && isDatabaseError('lockTimeout', error.cause))) throw error;
      onWait({ migration: tag, holders: await holdersOf(connection, statements) });
      await sleep(Math.min(maxPauseMs, tries * 1000));
    }
  }
}
