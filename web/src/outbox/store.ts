import { transact } from '../offline/database.ts';
import type { WriteStore } from './queue.ts';
import { UnstoredWrites } from './unstored.ts';
import type { Write } from './write.ts';

/*
 * Where writes wait, in IndexedDB, by person and workspace. They outlive the window and the session: only their person
 * sends or sees them, once signed in again. Signing out deletes them.
 */

const names = { database: 'tandem-outbox', store: 'writes' };
/** What nobody came back for is deleted after this time. */
const keptMs = 30 * 24 * 60 * 60_000;

/** All writes of a scope: their names begin with it. */
const writesIn = (scope: string) => IDBKeyRange.bound(scope, `${scope}\uffff`);

const ofUser = (userId: string) => `${userId} `;

/** The writes of a person in a workspace. */
export class StoredWrites implements WriteStore {
  readonly #scope: string;

  constructor(userId: string, workspaceId: string) {
    this.#scope = `${ofUser(userId)}${workspaceId} `;
  }

  all(): Promise<Write[]> {
    return transact(names, 'readonly', (store) => store.getAll(writesIn(this.#scope)));
  }

  async put(write: Write): Promise<void> {
    await transact(names, 'readwrite', (store) => store.put(write, this.#scope + write.id));
  }

  async update(id: string, changes: Partial<Write>): Promise<void> {
    const name = this.#scope + id;
    await transact(names, 'readwrite', (store) => {
      const found: IDBRequest<Write | undefined> = store.get(name);
      found.onsuccess = () => {
        if (found.result) store.put({ ...found.result, ...changes }, name);
      };
      return found;
    });
  }

  async delete(ids: readonly string[]): Promise<void> {
    await transact(names, 'readwrite', (store) => {
      for (const id of ids) store.delete(this.#scope + id);
      return store.count();
    });
  }
}

/** The writes of a person, after deleting what is too old. Never throws. */
export async function openWrites(userId: string, workspaceId: string): Promise<WriteStore> {
  try {
    const oldest = Date.now() - keptMs;
    await transact(names, 'readwrite', (store) => {
      const walk = store.openCursor();
      walk.onsuccess = () => {
        const cursor = walk.result;
        if (!cursor) return;
        if ((cursor.value as Write).madeAt < oldest) cursor.delete();
        cursor.continue();
      };
      return store.count();
    });
    return new StoredWrites(userId, workspaceId);
  } catch {
    return new UnstoredWrites();
  }
}

/** How many writes of a person are stored in this browser, in all workspaces. */
export function countWrites(userId: string): Promise<number> {
  return transact(names, 'readonly', (store) => store.count(writesIn(ofUser(userId)))).catch(() => 0);
}

/** Deletes the writes of a person, in all workspaces. Never throws. */
export async function deleteWrites(userId: string): Promise<void> {
  await transact(names, 'readwrite', (store) => store.delete(writesIn(ofUser(userId)))).catch(() => {});
}
