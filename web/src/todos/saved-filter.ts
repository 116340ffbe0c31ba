import type { View } from '../todo-common/queries.ts';
import { type Filter, filterIn, type Listing, type Place, searchOf } from './filter.ts';

/*
 * The filter of a saved view. Its page is `/views/<id>` while it shows what was saved; else the whole filter is in the
 * address, as on other lists.
 */

const shownOf = ({ peek: _, ...filter }: Filter): Filter => filter;

/** A filter in one form: names in the order of the parsers, and values of one name sorted. */
function canonical(filter: Filter): string {
  const entries = Object.entries(filterIn(searchOf(shownOf(filter))));
  return JSON.stringify(entries.map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]));
}

export function isSameFilter(one: Filter, other: Filter): boolean {
  return canonical(one) === canonical(other);
}

/** The part of a view that the controls of the page show. */
export function filterOfView({ query }: Pick<View, 'query'>): Filter {
  return filterIn(searchOf(query as Listing));
}

/** The rest of a view, which only the API sets: the page reads it, and leaves it as it is. */
export function fixedOf({ query }: Pick<View, 'query'>): Listing {
  const shown = filterOfView({ query });
  return Object.fromEntries(Object.entries(query).filter(([name]) => !(name in shown))) as Listing;
}

/** The filter that an address means; `saved` is that of the view at the address. */
export function filterAt(search: string, saved: Filter | undefined): Filter {
  const given = filterIn(search);
  if (saved === undefined || Object.keys(shownOf(given)).length > 0) return given;
  return { ...saved, peek: given.peek };
}

/** The query of the address for a filter; `saved` is that of the view at the address. */
export function addressOf(filter: Filter, saved: Filter | undefined): string {
  if (saved === undefined) return searchOf(filter);
  if (isSameFilter(filter, saved)) return searchOf({ peek: filter.peek });
  // An address without a filter is that of the view: what filters nothing needs a name.
  return searchOf(
    Object.keys(filterIn(searchOf(shownOf(filter)))).length > 0 ? filter : { ...filter, status: ['active'] },
  );
}

/** What a view of the list would save; undefined where the list is of one day, which a view could not follow. */
export function queryOf(place: Place, filter: Filter): View['query'] | undefined {
  if (place.name === 'today') return undefined;
  const fixed = {
    todos: {},
    mine: { assigneeId: ['me'] },
    archive: { includeArchived: true as const },
    list: place.name === 'list' ? { todoListId: [place.todoListId] } : {},
    view: place.name === 'view' ? place.fixed : {},
  }[place.name];
  const given = Object.entries({ ...shownOf(filter), ...fixed }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}
