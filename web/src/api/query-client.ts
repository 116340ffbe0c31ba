import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionChanged } from './acting.ts';
import { unanswered } from './in-time.ts';
import { pauseShown, repeatFailed, staleMs } from './live-state.ts';
import { notePause } from './pauses.ts';
import { isSignedOut, problemOf, watchProblems } from './problem.ts';
import { identityQuery } from './queries.ts';

let isReading = false;

/**
 * After a 401, reads again whose session it is. If it has ended, the pages go to the sign-in. If another window moved
 * it to another person or workspace, the pages show theirs.
 */
function followSession(error: unknown): void {
  if (isReading || !(isSignedOut(error) || problemOf(error).reason === sessionChanged)) return;
  isReading = true;
  void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey }).finally(() => {
    isReading = false;
  });
}

/** The query client of the pages. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      notePause(error, pauseShown(query));
      followSession(error);
    },
  }),
  mutationCache: new MutationCache({ onError: followSession }),
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      // By default TanStack Query does not even try a request offline. Here it does; repetitions wait for the
      // connection, and the page shows what waits (ui/card.tsx).
      networkMode: 'offlineFirst',
      refetchOnReconnect: true,
      refetchInterval: repeatFailed,
      retry: (failures, error) => {
        const { retryable, status, reason } = problemOf(error);
        return failures < 2 && retryable && status !== 429 && reason !== unanswered;
      },
    },
    // Results of mutations may contain secrets (a new key), so they are not cached after the page is left.
    mutations: { gcTime: 0, retry: false, networkMode: 'offlineFirst' },
  },
});

watchProblems(followSession);

// By default a change is rendered in a later task: a key pressed before that would act on what was shown before.
notifyManager.setScheduler(queueMicrotask);
