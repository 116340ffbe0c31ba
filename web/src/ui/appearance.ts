import { useSyncExternalStore } from 'react';
import { type Appearance, appearanceIn, cookieName } from './appearance-cookie.ts';

const maxAgeSeconds = 400 * 86_400;
const listeners = new Set<() => void>();

let current = appearanceIn(document.cookie);

/** Changes how the pages look, at once and for later visits. */
export function changeAppearance(change: Partial<Appearance>): void {
  current = { ...current, ...change };
  const { theme, density, shortcuts, enter } = current;
  // An older release does not read more than it knows.
  const more = enter === 'breaks' ? '.breaks' : '';
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is absent where the service is used without TLS.
  document.cookie = `${cookieName}=${theme}.${density}.${shortcuts}${more}; Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax${secure}`;
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.density = density;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How the pages look. */
export function useAppearance(): Appearance {
  return useSyncExternalStore(subscribe, () => current);
}
