import { forgetFirstReads } from '../api/first-read.ts';

/*
 * What this browser stores of the pages, so that they can be opened and read without a connection: their files in a
 * cache, and what was read last in IndexedDB. Nothing of it is left after signing out, or when the session has ended.
 */

/** The database of what was read; saved-reads.ts reads and writes it. */
export const readsDatabase = 'tandem';
/** The cache of the files; worker.ts reads it. */
export const cacheName = 'tandem-pages';
/** The cache of what other applications share (shared.ts). It outlives the end of a session, and no sign-out. */
export const sharedCache = 'tandem-shared';

let wipes = 0;

/**
 * How often this window has deleted all that is stored: work that began before the last deletion must store nothing any
 * more.
 */
export const wipeCount = () => wipes;

function deleteDatabase(): Promise<void> {
  return new Promise((resolve) => {
    const deleting = indexedDB.deleteDatabase(readsDatabase);
    // Blocked: it is deleted as soon as the transaction of another window has ended.
    deleting.onsuccess = deleting.onerror = deleting.onblocked = () => resolve();
  });
}

/** The service has removed the subscription with the session; the browser keeps one that nobody has. */
async function endPush(): Promise<void> {
  localStorage.removeItem('tandem.push');
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/**
 * Deletes all that is stored; after a sign-out also what was shared. Never throws: where storage is disabled, nothing
 * was stored.
 */
export async function wipeStored(isSignOut = false): Promise<void> {
  wipes++;
  // Not waited for: it asks the push service.
  if (isSignOut) endPush().catch(() => {});
  try {
    forgetFirstReads();
    const names = typeof caches === 'undefined' ? [] : [cacheName, ...(isSignOut ? [sharedCache] : [])];
    await Promise.all([deleteDatabase(), ...names.map((name) => caches.delete(name))]);
  } catch {
    // Storage is disabled.
  }
}
