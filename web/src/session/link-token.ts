import { useSyncExternalStore } from 'react';

/*
 * Links in emails have a token in their fragment (`#token=…`), which browsers do not send to servers; that of an
 * invitation also has the address that it is for (`&email=…`). Both are removed from the address bar at once, so that
 * they are not in the history, and stored in this module only.
 */

let token: string | null = null;
let address: string | null = null;
const listeners = new Set<() => void>();

function takeFromAddress(): void {
  const [, found, rest] = /^#token=([\w-]{1,200})(&email=[^&]{1,1000})?$/.exec(location.hash) ?? [];
  if (found === undefined) return;
  token = found;
  // Of a malformed encoding this makes U+FFFD, and does not throw.
  address = new URLSearchParams(rest).get('email');
  history.replaceState(history.state, '', location.pathname + location.search);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads tokens from the address from now on. Call it before the first render. */
export function watchLinkToken(): void {
  takeFromAddress();
  addEventListener('hashchange', takeFromAddress);
}

/** The token of the opened link, or null. */
export function useLinkToken(): string | null {
  return useSyncExternalStore(subscribe, () => token);
}

/** The email address that the opened link is for, or null. */
export function useLinkAddress(): string | null {
  return useSyncExternalStore(subscribe, () => address);
}

/** Removes the token and the address after use. */
export function spendLinkToken(): void {
  [token, address] = [null, null];
  for (const listener of listeners) listener();
}
