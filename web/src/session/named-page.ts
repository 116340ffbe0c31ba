import { localPage } from './next-page.ts';

/*
 * The page of a notification that was pressed. The service worker names it to a window, which may not have loaded the
 * code yet that opens it: the browser delivers a message once, so it is kept from the start.
 */

let kept: string | null = null;
let opener: ((page: string) => void) | null = null;

/** Keeps what the service worker names from now on, until it can be opened. */
export function watchNamedPages(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ open?: string } | null>) => {
    const page = localPage(data?.open ?? null);
    if (page === null) return;
    if (opener) opener(page);
    else kept = page;
  });
}

/** Opens the page that was named last, and those that will be, until the returned function is called. */
export function openNamedPages(go: (page: string) => void): () => void {
  opener = go;
  if (kept !== null) go(kept);
  kept = null;
  return () => {
    opener = null;
  };
}
