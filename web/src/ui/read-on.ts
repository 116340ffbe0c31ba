import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchStatus' | 'isFetchNextPageError'>;

/**
 * Whether the next page of a list is read by itself: not beside another read, which it would cancel, and not again
 * after it failed, which would have no end.
 */
export function readsOn({ hasNextPage, fetchStatus, isFetchNextPageError }: Pages): boolean {
  return hasNextPage && fetchStatus === 'idle' && !isFetchNextPageError;
}

/** Reads page after page of a list while `isWanted`. Where one cannot be read, the page offers to try again. */
export function useReadOn(query: Pages & Pick<UseInfiniteQueryResult, 'fetchNextPage'>, isWanted = true): void {
  const { fetchNextPage } = query;
  const isNext = isWanted && readsOn(query);
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
}
