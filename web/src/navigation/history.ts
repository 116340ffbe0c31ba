import { createPath, type Location, type NavigateOptions, parsePath, type To } from 'react-router';

/*
 * The history of this window, for react-router's <Router>. Its data router would be 20 kB more on every page; what the
 * pages need of it is in this folder: code and data start together, and the old page stays until the new one is there.
 */

/** A change of the address. `flushSync`: it is rendered before anything else, also without the code of the page. */
export interface Move {
  location: Location;
  flushSync: boolean;
}

/** The content of `history.state`. */
interface Entry {
  usr?: unknown;
  key?: string;
}

/**
 * Whether this document may use a microphone. Only the document served at `/record` may (`Permissions-Policy`,
 * adapters/pages/mount.ts), so navigation to that page must reload the document. Here, because this module is evaluated
 * before the first change of the address.
 */
export const mayUseMicrophone = window.location.pathname === '/record';

const listeners = new Set<(move: Move) => void>();

/** The location that the window shows. */
export function shownLocation(): Location {
  const { pathname, search, hash } = window.location;
  const { usr = null, key = 'default' } = (window.history.state ?? {}) as Entry;
  return { pathname, search, hash, state: usr, key };
}

/** How far the window was scrolled at each entry when it was left, by the key of the entry. */
export const scrolledAt = new Map<string, number>();
let shownKey = shownLocation().key;
/** Whether the entry of this key was left before: a person went back to it, or forward. */
export const isReturn = (key: string) => scrolledAt.has(key);

function announce(flushSync: boolean): void {
  const location = shownLocation();
  scrolledAt.set(shownKey, window.scrollY);
  shownKey = location.key;
  for (const listener of listeners) listener({ location, flushSync });
}

function write(to: To, state: unknown, options: NavigateOptions = {}): void {
  const path = typeof to === 'string' ? parsePath(to) : to;
  const href = createPath({ pathname: window.location.pathname, ...path });
  const entry: Entry = { usr: state ?? null, key: Math.random().toString(36).slice(2, 10) };
  if (options.replace) window.history.replaceState(entry, '', href);
  else window.history.pushState(entry, '', href);
  announce(options.flushSync ?? false);
}

/** Calls `moved` with each change of the address, and returns how to end that. */
export function watchHistory(moved: (move: Move) => void): () => void {
  const pop = () => announce(false);
  if (listeners.size === 0) window.addEventListener('popstate', pop);
  listeners.add(moved);
  return () => {
    listeners.delete(moved);
    window.removeEventListener('popstate', pop);
  };
}

/** How react-router changes the address. */
export const navigator = {
  createHref: (to: To) => (typeof to === 'string' ? to : createPath(to)),
  go: (delta: number) => window.history.go(delta),
  push: (to: To, state?: unknown, options?: NavigateOptions) => write(to, state, options),
  replace: (to: To, state?: unknown, options?: NavigateOptions) => write(to, state, { ...options, replace: true }),
};
