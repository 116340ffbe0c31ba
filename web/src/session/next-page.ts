import { useSearchParams } from 'react-router';

/** Page of a signed-in person who wanted no other. */
export const homePage = '/';

/** Page after signing in: the local page in `?next=`, else the home page. */
export function useNextPage(): string {
  const [search] = useSearchParams();
  return localPage(search.get('next')) ?? homePage;
}

/** Path and query of `address` if it has our own origin, else null. */
export function localPage(address: string | null): string | null {
  if (address === null || !/^\/(?![/\\])/.test(address)) return null;
  try {
    const { origin, pathname, search } = new URL(address, location.origin);
    return origin === location.origin ? pathname + search : null;
  } catch {
    return null;
  }
}

/** `page` with `?next=` set to the page to return to. */
export function withNext(page: string, next: string): string {
  return next === homePage ? page : `${page}?next=${encodeURIComponent(next)}`;
}
