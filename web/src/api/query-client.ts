import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionChanged } from './acting.ts';
import { unanswered } from './in-time.ts';
import { pauseShown, repeatFailed, staleMs } from './live-state.ts';
import { notePause } from './pauses.ts';
import { isSignedOut, problemOf, watchProblems } from './problem.ts';
import { identityQuery } from './queries.ts';

/** By then the browser has the cookie of a session that another window moves: its reads may be 401 before that. */
const cookieMs = 500;
let isReading = false;
/** The move of this session to another workspace; until it is answered, reads may be 401. */
let moving: Promise<unknown> | undefined;

/** Whose session it is, is not read again before this move of it has ended. */
export function whileMoving<Result>(move: Promise<Result>): Promise<Result> {
  moving = move;
  return move;
}

/**
 * After a 401, reads again whose session it is. If it has ended, the pages go to the sign-in. If another window moved
 * it to another person or workspace, the pages show theirs.
 */
function followSession(error: unknown): void {
  if (isReading || !(isSignedOut(error) || problemOf(error).reason === sessionChanged)) return;
  isReading = true;
  setTimeout(async () => {
    await moving?.catch(() => {});
    isReading = false;
    void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey });
  }, cookieMs);
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
