import type { Chunk, FoundPage } from './pages.ts';
import { pageAt } from './pages.ts';

/* Starts pages: their code and what they read, in parallel and before anything is rendered. */

let chunksOf: (page: FoundPage) => readonly Chunk[] = () => [];
let read: (page: FoundPage) => void = () => {};

/** Sets which chunks a page needs (routes.tsx). */
export function setChunks(of: typeof chunksOf): void {
  chunksOf = of;
}

/** Sets what reads the data of a page (shell/reads.ts), and reads that of the shown one. */
export function setReads(of: typeof read): void {
  read = of;
  const shown = pageAt(location.pathname);
  if (shown) read(shown);
}

/** Loads the code of the page at a path. @throws ChunkError when it cannot be loaded. */
export async function loadPage(pathname: string): Promise<void> {
  const page = pageAt(pathname);
  if (page) await Promise.all(chunksOf(page).map((each) => each.start()));
}

/** Starts the code and the data of the page at a path. */
export function startPage(pathname: string): void {
  const page = pageAt(pathname);
  if (!page) return;
  for (const each of chunksOf(page)) void each.start();
  read(page);
}

/** Runs `work` when the browser has nothing else to do, and returns how to cancel it. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 300);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 5_000 });
  return () => cancelIdleCallback(handle);
}
