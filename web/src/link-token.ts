import { useSyncExternalStore } from 'react';

/*
 * Letters carry a token in the fragment of their link (`#token=…`), which browsers send to no server. It is taken out
 * of the address at once, so that it stays neither in the history nor on the screen, and lives in this module only.
 */

let token: string | null = null;
const listeners = new Set<() => void>();

function takeFromAddress(): void {
  const found = /^#token=([\w-]{1,200})$/.exec(location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  history.replaceState(history.state, '', location.pathname + location.search);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to watch the address. To be called before anything is drawn. */
export function watchLinkToken(): void {
  takeFromAddress();
  addEventListener('hashchange', takeFromAddress);
}

/** The token of the link that was opened, or null. */
export function useLinkToken(): string | null {
  return useSyncExternalStore(subscribe, () => token);
}

/** Forgets the token: it was used. */
export function spendLinkToken(): void {
  token = null;
  for (const listener of listeners) listener();
}
