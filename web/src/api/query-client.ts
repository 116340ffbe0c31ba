import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionChanged } from './acting.ts';
import { repeatFailed, staleMs } from './live-state.ts';
import { isSignedOut, problemOf, watchProblems } from './problem.ts';
import { identityQuery } from './queries.ts';

let isMoving = false;

/** While `work` moves the session to another workspace, a 401 is of the one before: a read may have begun with it. */
export async function movingSession<Result>(work: () => Promise<Result>): Promise<Result> {
  isMoving = true;
  try {
    const result = await work();
    // What is still under way has the session before, too.
    await queryClient.cancelQueries();
    return result;
  } finally {
    isMoving = false;
  }
}

/**
 * A 401 means that the session has ended: the identity becomes null, and the pages redirect to the sign-in. Where the
 * session became that of another person or workspace, the pages become theirs.
 */
function followSession(error: unknown): void {
  if (isSignedOut(error) && !isMoving) queryClient.setQueryData(identityQuery.queryKey, null);
  if (problemOf(error).reason === sessionChanged)
    void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey });
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
