import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { type Polled, pollUnlessLive } from '../api/live-state.ts';
import { pendingApprovalsQuery } from '../approvals/queries.ts';
import { failedRunsQuery } from '../runs/queries.ts';

const pageSize = 100;

/** Todos that agents suggest and nobody accepted or dismissed, the newest first. */
export const suggestionsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'suggested'],
    queryFn: ({ pageParam, signal }) =>
      api.todos.list.query({ isSuggested: true, limit: pageSize, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

interface Reading {
  /** Milliseconds between two reads without live updates. */
  pollMs: number;
  isEnabled?: boolean;
}

/** What needs a person: what agents ask, runs that failed and todos that are suggested. */
export function useNeeds(workspaceId: string, { pollMs, isEnabled = true }: Reading) {
  const options = { refetchInterval: (query: Polled) => pollUnlessLive(query, pollMs), enabled: isEnabled };
  return {
    approvals: useInfiniteQuery({ ...pendingApprovalsQuery(workspaceId), ...options }),
    failed: useQuery({ ...failedRunsQuery(workspaceId), ...options }),
    suggestions: useInfiniteQuery({ ...suggestionsQuery(workspaceId), ...options }),
  };
}

const sidebarPollMs = 30_000;

/** How much needs a person, as far as it is read; 0 before that. */
export function useNeedsCount(workspaceId: string, isEnabled: boolean): number {
  const { approvals, failed, suggestions } = useNeeds(workspaceId, { pollMs: sidebarPollMs, isEnabled });
  const counts = [...(approvals.data?.pages ?? []), ...(suggestions.data?.pages ?? [])].map(({ data }) => data.length);
  return counts.reduce((sum, count) => sum + count, failed.data?.length ?? 0);
}
