import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Todo } from '../todo-common/queries.ts';
import type { Listing } from './filter.ts';
import type { Part } from './parts.ts';
import { pollPages, sizeOf } from './queries.ts';

/** Where a page begins: in which part, and after what of it. */
interface Start {
  part: number;
  cursor?: string;
}

interface Page {
  data: Todo[];
  next: Start | null;
}

type ReadList = (
  listing: Listing,
  page: { limit: number; cursor?: string },
) => Promise<{ data: Todo[]; nextCursor: string | null }>;

/** Parts that are read at once, in one request, and todos of each but the first: most parts are short. */
const partsAtOnce = 8;
const aheadLimit = 25;

/**
 * A page of the parts of a listing one after the other: at least `limit` todos where there are as many. A part that a
 * page begins is read together with some after it, whose todos are left for the next page when it has more.
 */
export async function readParts(list: ReadList, parts: readonly Listing[], from: Start, limit: number): Promise<Page> {
  const data: Todo[] = [];
  let { part, cursor } = from;
  while (part < parts.length && data.length < limit) {
    const count = cursor === undefined ? partsAtOnce : 1;
    const page = (place: number) => ({
      limit: place === 0 ? limit : aheadLimit,
      ...(cursor !== undefined && { cursor }),
    });
    const answers = await Promise.all(
      parts.slice(part, part + count).map((listing, place) => list(listing, page(place))),
    );
    for (const answer of answers) {
      data.push(...answer.data);
      if (answer.nextCursor !== null) return { data, next: { part, cursor: answer.nextCursor } };
      part++;
    }
    cursor = undefined;
  }
  return { data, next: part < parts.length ? { part } : null };
}

/** The todos of a listing, part by part and page by page. A todo that is in several parts is in each. */
export const partsQuery = (workspaceId: string, listing: Listing, parts: readonly Part[]) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'list', listing, { parts: parts.map(({ id }) => id) }],
    queryFn: ({ pageParam: { limit, ...start }, signal }) =>
      readParts(
        (of, page) => api.todos.list.query({ ...of, ...page }, { signal }),
        parts.map((part) => part.listing),
        start,
        limit,
      ),
    initialPageParam: { part: 0, limit: sizeOf(0) } as Start & { limit: number },
    getNextPageParam: ({ next }, pages) => next && { ...next, limit: sizeOf(pages.length) },
    refetchInterval: (query) => pollPages(query),
  });
