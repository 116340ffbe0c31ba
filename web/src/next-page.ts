import { useSearchParams } from 'react-router';

/** Where to go after signing in: a page of this service named by `?next=`, else the settings. */
export function useNextPage(): string {
  const [search] = useSearchParams();
  return localPage(search.get('next')) ?? '/settings';
}

/** The path and query of `address` when it is one of our own pages; never another site. */
export function localPage(address: string | null): string | null {
  if (address === null || !/^\/(?![/\\])/.test(address)) return null;
  try {
    const { origin, pathname, search } = new URL(address, location.origin);
    return origin === location.origin ? pathname + search : null;
  } catch {
    return null;
  }
}

/** `page` with the way back: the `?next=` it has now. */
export function withNext(page: string, next: string): string {
  return next === '/settings' ? page : `${page}?next=${encodeURIComponent(next)}`;
}
