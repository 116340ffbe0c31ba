import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut, problemOf } from './client.ts';
import { identityQuery } from './queries.ts';

/** A 401 anywhere means that the session ended: the identity becomes null, and the pages go to the sign-in. */
function noticeSessionEnd(error: unknown): void {
  if (isSignedOut(error)) queryClient.setQueryData(identityQuery.queryKey, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSessionEnd }),
  mutationCache: new MutationCache({ onError: noticeSessionEnd }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && problemOf(error).retryable && problemOf(error).status !== 429,
    },
    // Answers of changes may hold secrets (a new key): nothing of them stays in memory once the page is left.
    mutations: { gcTime: 0, retry: false },
  },
});
