import { cacheName } from './store.ts';

/* The files of the pages, stored for windows that are opened without a connection. worker.ts answers with them. */

const workerPath = '/offline-worker.js';
/**
 * Files that this window has not loaded, which may be of earlier builds, are deleted beyond this number, the oldest
 * first.
 */
const maxFiles = 300;

/**
 * The connection was lost, a newer build has replaced the file, or storage is disabled or full: the next window tries
 * again.
 */
const giveUp = () => {};

/** Stores those of these files that are not yet, unless what is stored was wiped meanwhile. */
async function store(paths: readonly string[]): Promise<void> {
  if (!(await caches.has(cacheName))) return;
  const cache = await caches.open(cacheName);
  for (const path of paths) if (!(await cache.match(path, { ignoreVary: true }))) await cache.add(path).catch(giveUp);
}

/** The document of every page has the same content apart from hints; it is stored under one address. */
async function storeDocument(): Promise<void> {
  const cache = await caches.open(cacheName);
  if (await cache.match('/')) return;
  const document = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
  if (document.ok) await cache.put('/', document);
}

async function deleteOldFiles(): Promise<void> {
  const cache = await caches.open(cacheName);
  const stored = (await cache.keys()).filter(({ url }) => new URL(url).pathname !== '/');
  // What has the same content in several builds is old, and in use.
  const used = filesIn(performance.getEntriesByType('resource'));
  const unused = stored.filter(({ url }) => !used.includes(new URL(url).pathname));
  for (const request of unused.slice(0, Math.max(0, stored.length - maxFiles))) await cache.delete(request);
}

function filesIn(entries: readonly PerformanceEntry[]): string[] {
  const paths = entries.map(({ name }) => new URL(name).pathname);
  return [...new Set(paths.filter((path) => path.startsWith('/assets/')))];
}

/**
 * Registers the worker, and stores the files that this window has loaded and will load, until the returned function is
 * called. Does nothing where the browser cannot.
 */
export function storeFiles(): () => void {
  if (!('serviceWorker' in navigator)) return () => {};
  let isOver = false;
  const tried = new Set<string>();
  // The worker sees no files that are loaded before it is in charge.
  const observer = new PerformanceObserver((list) => {
    // Each once: the request that is to store a file is such an entry too, also where it fails.
    const paths = filesIn(list.getEntries()).filter((path) => !tried.has(path));
    for (const path of paths) tried.add(path);
    void store(paths).catch(giveUp);
  });
  const begin = async () => {
    await navigator.serviceWorker.register(workerPath);
    if (isOver) return;
    await storeDocument();
    if (!isOver) observer.observe({ type: 'resource', buffered: true });
    await deleteOldFiles();
  };
  begin().catch(giveUp);
  return () => {
    isOver = true;
    observer.disconnect();
  };
}
