import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { audioStoreId } from '../media/storage/store-id.ts';
import type { Config } from './config.ts';
import type { OnSession } from './pubsub/listener.ts';
import { StartError } from './start-errors.ts';

/*
 * All processes on a database must use one audio store, because any process takes any chunk of a recording, and any
 * worker joins them. Each process holds a shared advisory lock on its listening connection; the number of the lock is
 * derived from the id of its store. The lock ends with the process, so it is never stale.
 */

/** The first number of these locks; those of migrations and the embedded database have another. */
export const lockClass = 0x7a4e;

/** Where a process with another store connects from; null through a Unix socket. */
const foreignClaim = `select host(a.client_addr) as address
  from pg_locks l left join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid <> $2 and l.objsubid = 2
    and l.database = (select oid from pg_database where datname = current_database())
  limit 1`;

/** The second number of the lock: 31 bits, the same as `int` and as `oid`. */
function lockOf(storeId: string): number {
  return createHash('sha256').update(storeId).digest().readUInt32BE() >>> 1;
}

async function findForeign(connection: postgres.Sql, lock: number): Promise<string | undefined> {
  const [found] = await connection.unsafe<{ address: string | null }[]>(foreignClaim, [lockClass, lock]);
  return found && (found.address ?? 'this machine');
}

/**
 * Takes the lock of a store on a connection, and logs an error if a process with another store is running. This finds
 * two processes that start at the same moment: the check before the start finds neither.
 */
export async function holdAudioStore(connection: postgres.Sql, storeId: string, log: Logger): Promise<void> {
  const lock = lockOf(storeId);
  await connection.unsafe('select pg_advisory_lock_shared($1, $2)', [lockClass, lock]);
  const address = await findForeign(connection, lock);
  if (address !== undefined) log.error({ address }, 'another process stores audio elsewhere, recordings will be lost');
}

/**
 * Returns what claims the audio store of these settings on the listening connection.
 * @throws StartError when a process on the same database uses another one.
 */
export async function claimAudioStore(config: Config, driver: postgres.Sql, log: Logger): Promise<OnSession> {
  const id = await audioStoreId(config);
  const address = await findForeign(driver, lockOf(id));
  if (address !== undefined) {
    throw new StartError(
      `Another process on this database, connected from ${address}, stores the audio of recordings elsewhere; recordings would be lost. ` +
        'Set AUDIO_DIR to a directory that all processes share, or store audio in S3 (docs/operations.md, “Audio storage”). ' +
        'To move the audio, stop all processes first.',
    );
  }
  return (connection) => holdAudioStore(connection, id, log);
}
