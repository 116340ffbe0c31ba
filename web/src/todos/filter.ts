import type { TandemInputs } from 'tandem/client';
import { existingDay } from '../todo-common/days.ts';

/*
 * The filter of a list of todos. It is the query of the page's address, under the names and in the form of REST's
 * parameters (`GET /todos`), and beside them what only the page knows: the grouping of the rows, the layout, and the
 * todo that is shown beside the list.
 */

export const statuses = ['ready', 'in_progress', 'done'] as const;
export const priorities = ['urgent', 'high', 'medium', 'low'] as const;
const sorts = ['createdAt', 'updatedAt', 'dueDate', 'priority', 'position'] as const;
export const groupings = ['status', 'priority', 'due', 'assignee', 'list'] as const;
const maxQueryLength = 200;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the address of a list asks for; a name is missing where it says nothing. */
export interface Filter {
  status?: ((typeof statuses)[number] | 'active')[] | undefined;
  priority?: ((typeof priorities)[number] | 'none')[] | undefined;
  todoListId?: string[] | undefined;
  assigneeId?: string[] | undefined;
  labelId?: string[] | undefined;
  unassigned?: true | undefined;
  isSuggested?: true | undefined;
  includeArchived?: true | undefined;
  dueAfter?: string | undefined;
  dueBefore?: string | undefined;
  query?: string | undefined;
  sort?: Sort | undefined;
  order?: 'asc' | 'desc' | undefined;
  /** Of the rows of a list, and of the columns of a board. */
  group?: (typeof groupings)[number] | undefined;
  layout?: 'board' | undefined;
  /** The id of the todo that is shown beside the list. */
  peek?: string | undefined;
}

export type Sort = (typeof sorts)[number];

type Parse<Value> = (text: string) => Value | undefined;

function oneOf<Value extends string>(...values: readonly Value[]): Parse<Value> {
  return (text) => values.find((each) => each === text);
}

/** Values with commas between them. Unknown ones are dropped, and none at all is no filter. */
function several<Value>(one: Parse<Value>): Parse<Value[]> {
  return (text) => {
    const values = new Set(text.split(',').flatMap((each) => one(each) ?? []));
    return values.size > 0 ? [...values] : undefined;
  };
}

const flag: Parse<true> = (text) => text === 'true' || undefined;
const id: Parse<string> = (text) => (uuid.test(text) ? text : undefined);

const words: Parse<string> = (text) => {
  const trimmed = text.trim();
  return trimmed !== '' && trimmed.length <= maxQueryLength ? trimmed : undefined;
};

/**
 * A table instead of a zod schema: that would be 7 kB more on every page, which starts to read before its code is
 * there.
 */
const parsers: { [Name in keyof Filter]-?: Parse<NonNullable<Filter[Name]>> } = {
  status: several(oneOf(...statuses, 'active')),
  priority: several(oneOf(...priorities, 'none')),
  todoListId: several(id),
  assigneeId: several((text) => (text === 'me' ? text : id(text))),
  labelId: several(id),
  unassigned: flag,
  isSuggested: flag,
  includeArchived: flag,
  dueAfter: existingDay,
  dueBefore: existingDay,
  query: words,
  sort: oneOf(...sorts),
  order: oneOf('asc', 'desc'),
  group: oneOf(...groupings),
  layout: oneOf('board'),
  peek: id,
};

/** A page of todos: all, those of one list, those due that are mine, mine, archived ones, those of a saved view. */
export type Place =
  | { name: 'todos' | 'mine' | 'archive' }
  | { name: 'list'; todoListId: string }
  | { name: 'today'; today: string }
  /** `fixed`: filters of the view that the page has no control for. */
  | { name: 'view'; viewId: string; fixed: Listing };

/** REST's parameters of a list, without those of a page of it. */
export type Listing = Omit<TandemInputs['todos']['list'], 'ids' | 'limit' | 'cursor' | 'include'>;

/** The filter in the query of an address. Unknown names and values are dropped. */
export function filterIn(search: string): Filter {
  const given = new URLSearchParams(search);
  const entries = Object.entries(parsers).map(([name, parse]) => [
    name,
    (parse as Parse<unknown>)(given.get(name) ?? ''),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The query of an address with a filter: empty, or with the question mark. */
export function searchOf(filter: Filter | Listing): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string])).toString();
  // The comma between values needs no encoding, and is readable.
  return text === '' ? '' : `?${text.replaceAll('%2C', ',')}`;
}

/** The place of an address. `today` is a date such as `2026-11-23`. */
export function placeAt(pathname: string, today: string): Place {
  const [, first, id] = pathname.split('/');
  if (first === 'lists') return { name: 'list', todoListId: id ?? '' };
  if (first === 'views') return { name: 'view', viewId: id ?? '', fixed: {} };
  if (first === 'today') return { name: 'today', today };
  return { name: first === 'mine' || first === 'archive' ? first : 'todos' };
}

const bases: { [Name in Place['name']]: (place: Extract<Place, { name: Name }>) => Listing } = {
  todos: () => ({}),
  mine: () => ({ assigneeId: 'me' }),
  archive: () => ({ includeArchived: true }),
  list: ({ todoListId }) => ({ todoListId }),
  view: ({ fixed }) => fixed,
  today: ({ today }) => ({ assigneeId: 'me', dueBefore: today, sort: 'dueDate', order: 'asc' }),
};

/** What is read for a filter at a place: what the place fixes stays, and the rest is the filter's. */
export function listingOf(place: Place, { group: _, layout: __, peek: ___, ...filter }: Filter): Listing {
  const {
    sort: baseSort = 'createdAt',
    order: baseOrder,
    ...base
  } = (bases[place.name] as (of: Place) => Listing)(place);
  const isArchive = base.includeArchived ?? filter.includeArchived ?? false;
  const sort = filter.sort ?? baseSort;
  const order = filter.order ?? (filter.sort === undefined ? baseOrder : undefined) ?? usualOrder(sort);
  const status = filter.status ?? (isArchive ? undefined : ['active' as const]);
  const whole = { ...filter, status, ...base, sort, order };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

/**
 * The order in which a sort is usually wanted: what is due soonest, the manual order, else the newest or most urgent
 * first.
 */
export function usualOrder(sort: Sort): 'asc' | 'desc' {
  return sort === 'dueDate' || sort === 'position' ? 'asc' : 'desc';
}

/** The sort that puts the todos of each group together; undefined for a field that no sort is by. */
export function sortOfGroup(group: Filter['group']): Sort | undefined {
  return group === 'due' ? 'dueDate' : group === 'priority' ? 'priority' : undefined;
}

/** Whether the groups of a list are read one after the other, as no sort puts their todos together. */
export function isByParts(group: Filter['group']): group is 'status' | 'assignee' | 'list' {
  return group === 'status' || group === 'assignee' || group === 'list';
}

/** The filter without what narrows the list: its status, its order and how it is shown are left. */
export function cleared({ status, includeArchived, sort, order, group, layout, peek }: Filter): Filter {
  return { status, includeArchived, sort, order, group, layout, peek };
}

/** Whether a filter narrows the list, apart from its status. */
export function isNarrowed(filter: Filter): boolean {
  return searchOf(filter) !== searchOf(cleared(filter));
}

/** The request of a list for a shell, with the API key in `TANDEM_API_KEY`. */
export function curlOf(origin: string, listing: Listing): string {
  // Quotes and dollars cannot occur: URLSearchParams encodes both.
  return `curl -fsS -H "Authorization: Bearer $TANDEM_API_KEY" "${origin}/api/v1/todos${searchOf(listing)}"`;
}
