import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionChanged } from './acting.ts';
import { repeatFailed, staleMs } from './live-state.ts';
import { isSignedOut, problemOf, watchProblems } from './problem.ts';
import { identityQuery } from './queries.ts';

/** By then the browser has the cookie of a session that another window moves: its reads may be 401 before that. */
const cookieMs = 500;
let isReading = false;

/**
 * After a 401 it is read again who the session is of: it has ended, and the pages redirect to the sign-in, or a window has
 * moved it. Where it became that of another person or workspace, the pages become theirs.
 */
function followSession(error: unknown): void {
  if (isReading || !(isSignedOut(error) || problemOf(error).reason === sessionChanged)) return;
  isReading = true;
  setTimeout(() => {
    isReading = false;
    void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey });
  }, cookieMs);
}

/** The query client of the pages. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: followSession }),
  mutationCache: new MutationCache({ onError: followSession }),
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      // By default a request is not even tried offline. Here it is, its repetitions wait for the connection, and what
      // waits is shown (ui/card.tsx).
      networkMode: 'offlineFirst',
      refetchOnReconnect: true,
      refetchInterval: repeatFailed,
      retry: (failures, error) => failures < 2 && problemOf(error).retryable && problemOf(error).status !== 429,
    },
    // Results of mutations may contain secrets (a new key), so they are not cached after the page is left.
    mutations: { gcTime: 0, retry: false, networkMode: 'offlineFirst' },
  },
});

watchProblems(followSession);

// By default what has changed is shown in a later task: a key pressed before it would act on what was shown before.
notifyManager.setScheduler(queueMicrotask);
