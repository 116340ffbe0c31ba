import type { InfiniteData } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useWrites } from '../outbox/current.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import type { Listing } from './filter.ts';
import { type Pending, type PlaceOf, withPending } from './pending.ts';

/* What the lists of todos show: what was read, and what is on its way. */

export type TodoPages = InfiniteData<{ data: Todo[] }>;

/** The todos of pages, each once. */
function todosOf(pages: TodoPages | undefined): Todo[] {
  const byId = new Map<string, Todo>();
  for (const { data } of pages?.pages ?? []) {
    for (const todo of data) if (!byId.has(todo.id)) byId.set(todo.id, todo);
  }
  return [...byId.values()];
}

/** The todos of a listing as far as they are read, with what is on its way; `placeOf` where it is read in groups. */
export function usePending(pages: TodoPages | undefined, listing: Listing, placeOf?: PlaceOf): Pending {
  const { user } = useIdentity();
  const writes = useWrites();
  const read = useMemo(() => todosOf(pages), [pages]);
  // Of equal todos and writes the list is the same one: the rows are not made again.
  return useMemo(() => withPending(read, writes, listing, user.id, placeOf), [read, writes, listing, user.id, placeOf]);
}
