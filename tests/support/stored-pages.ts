import type { Window } from './browser.ts';
import { until } from './until.ts';

/* What a browser stores of the pages. */

/** The names of what this browser has stored of the pages: caches, and reads in IndexedDB as JSON. */
export async function stored({ page }: Window): Promise<{ caches: string[]; reads: string }> {
  const found = await page.evaluate(`(async () => {
    const known = (await indexedDB.databases()).some(({ name }) => name === 'tandem');
    const open = () => new Promise((resolve, reject) => {
      const opening = indexedDB.open('tandem');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = reject;
    });
    const read = async () => {
      const database = await open();
      try {
        if (!database.objectStoreNames.contains('reads')) return '[]';
        const request = database.transaction('reads').objectStore('reads').getAll();
        return JSON.stringify(await new Promise((resolve) => (request.onsuccess = () => resolve(request.result))));
      } finally {
        database.close();
      }
    };
    return { caches: await caches.keys(), reads: known ? await read() : '[]' };
  })()`);
  return found as { caches: string[]; reads: string };
}

/** Waits until the reads and the files of the page are stored, and its worker answers for it. */
export async function untilStored(window: Window, text: string): Promise<void> {
  const { page } = window;
  await until(async () => (await stored(window)).reads.includes(text));
  await page.evaluate('navigator.serviceWorker.ready.then(() => {})');
  const files = `(async () => {
    const cache = await caches.open('tandem-pages');
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    const wanted = ['/', ...loaded.filter((path) => path.startsWith('/assets/'))];
    return (await Promise.all(wanted.map((path) => cache.match(path, { ignoreVary: true })))).every(Boolean);
  })()`;
  await until(() => page.evaluate(files));
}

/** The changes of todos that this browser has stored and that are not sent, as JSON. */
export async function unsent({ page }: Pick<Window, 'page'>): Promise<string> {
  const found = await page.evaluate(`(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === 'tandem-outbox')) return '[]';
    const database = await new Promise((resolve, reject) => {
      const opening = indexedDB.open('tandem-outbox');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = reject;
    });
    try {
      if (!database.objectStoreNames.contains('writes')) return '[]';
      const request = database.transaction('writes').objectStore('writes').getAll();
      return JSON.stringify(await new Promise((resolve) => (request.onsuccess = () => resolve(request.result))));
    } finally {
      database.close();
    }
  })()`);
  return String(found);
}
