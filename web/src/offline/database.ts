/* Databases of this browser with one store each. */

export interface DatabaseNames {
  database: string;
  store: string;
}

function open({ database, store }: DatabaseNames): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(store);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error('another window holds the database'));
  });
}

/**
 * Does `work` in one transaction, and returns the result of its request. The database is closed then, so that another
 * window can delete it. @throws DOMException where storage is disabled or full.
 */
export async function transact<Result>(
  names: DatabaseNames,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open(names);
  try {
    return await new Promise<Result>((resolve, reject) => {
      const transaction = database.transaction(names.store, mode);
      const request = work(transaction.objectStore(names.store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
