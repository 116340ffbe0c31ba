import { dateHere } from '../todo-common/days.ts';
import { type Filter, filterIn, type Listing, listingOf, type Place, placeAt } from './filter.ts';

/** What the list at an address reads. */
export function listingAt({ pathname, search }: { pathname: string; search: string }): Listing {
  return listingOf(placeAt(pathname, dateHere()), filterIn(search));
}

/** Whether the todos at an address are shown as a board; archived ones are always a list. */
export function isBoard({ filter, listing }: { filter: Filter; listing: Listing }): boolean {
  return filter.layout === 'board' && listing.includeArchived !== true;
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
  /**
   * Goes to the address with these changes. `replace`: going back skips the present one, as while something is typed.
   * `flushSync`: what changes is rendered before it returns.
   */
  change(changes: Partial<Filter>, options?: { replace?: boolean; flushSync?: boolean }): void;
  /** Goes to the address without what narrows the list. */
  clear(): void;
}
