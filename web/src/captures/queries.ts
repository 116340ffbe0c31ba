import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { pollUnlessLive, repeatFailed } from '../api/live-state.ts';

export type CaptureKind = 'note' | 'recording';

/** Which captures a list shows. */
export interface CaptureFilter {
  query: string;
  type: CaptureKind | null;
  tag: string | null;
  includeArchived: boolean;
}

const pollMs = 2_000;

/** Without live updates refetched every few seconds while a capture is recorded or processed. */
export const capturesQuery = (workspaceId: string, { query, type, tag, includeArchived }: CaptureFilter) =>
  infiniteQueryOptions({
    queryKey: ['captures', workspaceId, { query, type, tag, includeArchived }],
    queryFn: ({ pageParam, signal }) =>
      api.captures.list.query(
        {
          includeArchived,
          ...(query !== '' && { query }),
          ...(type && { type }),
          ...(tag !== null && { tags: [tag] }),
          ...(pageParam && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => {
      const rows = query.state.data?.pages.flatMap(({ data }) => data) ?? [];
      const isUnderWay = rows.some(({ status }) => status === 'recording' || status === 'processing');
      return isUnderWay ? pollUnlessLive(query, 2 * pollMs) : repeatFailed(query);
    },
  });

export type CaptureListed = Awaited<ReturnType<typeof api.captures.list.query>>['data'][number];

export const captureTagsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['captures', workspaceId, 'tags'],
    queryFn: ({ signal }) => api.captures.tags.query({}, { signal }),
  });

/** A note without summary that changed within this time is still being processed. */
const digestedWithinMs = 90_000;

/** Whether a capture is still recorded or processed. */
function isUnderWay({ status, type, summary, updatedAt }: Capture): boolean {
  if (status === 'recording' || status === 'processing') return true;
  return type === 'note' && summary === null && Date.now() - Date.parse(updatedAt) < digestedWithinMs;
}

export const captureQuery = (workspaceId: string, captureId: string) =>
  queryOptions({
    queryKey: ['capture', workspaceId, captureId],
    queryFn: ({ signal }) => api.captures.get.query({ captureId }, { signal }),
    refetchInterval: (query) =>
      query.state.data !== undefined && isUnderWay(query.state.data)
        ? pollUnlessLive(query, pollMs)
        : repeatFailed(query),
  });

export type Capture = Awaited<ReturnType<typeof api.captures.get.query>>;

/** Todos from a capture, suggestions first. `summary` is in the key because they appear together. */
export const captureTodosQuery = (workspaceId: string, { id, status, summary }: Capture) =>
  queryOptions({
    queryKey: ['capture', workspaceId, id, 'todos', status, summary],
    queryFn: async ({ signal }) => (await api.todos.list.query({ captureId: id, limit: 100 }, { signal })).data,
    placeholderData: keepPreviousData,
  });

export type CaptureTodo = Awaited<ReturnType<typeof api.todos.list.query>>['data'][number];
