import type { InfiniteData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TandemOutputs } from 'tandem/client';
import { useWrites } from '../outbox/current.ts';
import { useIdentity } from '../session/session.ts';
import type { Listing } from './filter.ts';
import { type Pending, withPending } from './pending.ts';

/* What the lists of todos show: what was read, and what is on its way. */

export type TodoPages = InfiniteData<TandemOutputs['todos']['list']>;

/** The todos of a listing as far as they are read, with what is on its way. */
export function usePending(pages: TodoPages | undefined, listing: Listing): Pending {
  const { user } = useIdentity();
  const writes = useWrites();
  const read = useMemo(() => pages?.pages.flatMap(({ data }) => data) ?? [], [pages]);
  // Of equal todos and writes the list is the same one: the rows are not made again.
  return useMemo(() => withPending(read, writes, listing, user.id), [read, writes, listing, user.id]);
}
