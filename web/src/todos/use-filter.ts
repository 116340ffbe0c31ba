import { useCallback, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { cleared, type Filter, filterIn, type Listing, listingOf, type Place, placeAt, searchOf } from './filter.ts';

/** The date in this browser, such as `2026-11-23`; `days` later if given. */
export function dateHere(days = 0): string {
  const now = new Date();
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** What the list at an address reads. */
export function listingAt({ pathname, search }: { pathname: string; search: string }): Listing {
  return listingOf(placeAt(pathname, dateHere()), filterIn(search));
}

/** The state of a navigation that changes a filter: the focus stays where it is. */
export const asFilter = { isFilter: true };

/** The filter of a page of todos, which is its address, and how to change it. */
export interface FilterOfPage {
  place: Place;
  filter: Filter;
  /** What is read. */
  listing: Listing;
  /** The address with another filter. */
  hrefOf(filter: Filter): string;
  /** Goes to the address with these changes. `replace`: going back skips the present one, as while something is typed. */
  change(changes: Partial<Filter>, options?: { replace?: boolean }): void;
  /** Goes to the address without what narrows the list. */
  clear(): void;
}

/** The filter in the address of the page. */
export function useFilter(): FilterOfPage {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const today = dateHere();
  const { place, filter, listing } = useMemo(() => {
    const place = placeAt(pathname, today);
    const filter = filterIn(search);
    return { place, filter, listing: listingOf(place, filter) };
  }, [pathname, search, today]);
  const change = useCallback<FilterOfPage['change']>(
    (changes, options) => {
      // The address of now: a change may follow another one before it is rendered.
      const now = filterIn(window.location.search);
      void navigate(`${pathname}${searchOf({ ...now, ...changes })}`, { ...options, state: asFilter });
    },
    [navigate, pathname],
  );
  const hrefOf = useCallback((of: Filter) => `${pathname}${searchOf(of)}`, [pathname]);
  const clear = () => void navigate(hrefOf(cleared(filter)), { state: asFilter });
  return { place, filter, listing, hrefOf, change, clear };
}
