import { useCallback, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { dateHere } from '../todo-common/days.ts';
import type { View } from '../todo-common/queries.ts';
import { useClock } from '../ui/clock.ts';
import { cleared, type Filter, listingOf, type Place, placeAt } from './filter.ts';
import { addressOf, filterAt, filterOfView, fixedOf } from './saved-filter.ts';
import { asFilter, type FilterOfPage } from './use-filter.ts';

/**
 * The filter in the address of the page; where the page is that of a view, what the view saved unless the address says
 * another.
 */
export function useFilter(view?: View): FilterOfPage {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const today = useClock(dateHere);
  const saved = useMemo(() => view && filterOfView(view), [view]);
  const { place, filter, listing } = useMemo(() => {
    const place: Place = view ? { name: 'view', viewId: view.id, fixed: fixedOf(view) } : placeAt(pathname, today);
    const filter = filterAt(search, saved);
    return { place, filter, listing: listingOf(place, filter) };
  }, [pathname, search, today, view, saved]);
  const change = useCallback<FilterOfPage['change']>(
    (changes, options) => {
      // The address of now: a change may follow another one before it is rendered.
      const now = filterAt(window.location.search, saved);
      void navigate(`${pathname}${addressOf({ ...now, ...changes }, saved)}`, { ...options, state: asFilter });
    },
    [navigate, pathname, saved],
  );
  const hrefOf = useCallback((of: Filter) => `${pathname}${addressOf(of, saved)}`, [pathname, saved]);
  const clear = () => void navigate(hrefOf(cleared(filter)), { state: asFilter });
  return { place, filter, listing, hrefOf, change, clear };
}
