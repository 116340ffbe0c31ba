import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { type Polled, pollUnlessLive } from '../api/live-state.ts';
import type { Listing } from './filter.ts';

const refetchMs = 5_000;
/** Pages of a list that is read again as a whole while it is open. */
const maxLivePages = 3;

/** `refetchInterval` of a list: only what has few pages is read again as a whole. */
export function pollPages(query: Polled & { state: { data?: { pages: readonly unknown[] } | undefined } }) {
  return (query.state.data?.pages.length ?? 0) <= maxLivePages && pollUnlessLive(query, refetchMs);
}

/** A page of a list: small ones at first, then what one request may read, so that the end of a long list is near. */
export function sizeOf(pages: number): number {
  return pages < maxLivePages ? 100 : 500;
}

/** The todos of a listing, page by page. They are read again as others change some. */
export const todosQuery = (workspaceId: string, listing: Listing) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'list', listing],
    queryFn: ({ pageParam: { cursor, limit }, signal }) =>
      api.todos.list.query({ ...listing, limit, ...(cursor !== undefined && { cursor }) }, { signal }),
    initialPageParam: { cursor: undefined as string | undefined, limit: sizeOf(0) },
    getNextPageParam: ({ nextCursor }, pages) =>
      nextCursor === null ? undefined : { cursor: nextCursor as string | undefined, limit: sizeOf(pages.length) },
    refetchInterval: (query) => pollPages(query),
  });

/** Counts of what a listing matches, of every status. */
export const summaryQuery = (
  workspaceId: string,
  { sort: _sort, order: _order, status: _status, ...filter }: Listing,
) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'summary', filter],
    queryFn: ({ signal }) => api.todos.summary.query(filter, { signal }),
    refetchInterval: (query) => pollUnlessLive(query, refetchMs),
  });
