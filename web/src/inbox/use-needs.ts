import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Polled, pollUnlessLive } from '../api/live-state.ts';
import { pendingApprovalsQuery } from '../approvals/queries.ts';
import { failedRunsQuery } from '../runs/queries.ts';
import { suggestionsQuery } from './queries.ts';

/** What needs a person: what agents ask, runs that failed and todos that are suggested. */
export function useNeeds(workspaceId: string, pollMs: number) {
  const options = { refetchInterval: (query: Polled) => pollUnlessLive(query, pollMs) };
  return {
    approvals: useInfiniteQuery({ ...pendingApprovalsQuery(workspaceId), ...options }),
    failed: useQuery({ ...failedRunsQuery(workspaceId), ...options }),
    suggestions: useInfiniteQuery({ ...suggestionsQuery(workspaceId), ...options }),
  };
}
