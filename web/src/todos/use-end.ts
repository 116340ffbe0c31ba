import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useReadOn } from '../ui/read-on.ts';

/**
 * Reads the pages of a list: the next one where `isNear` its end, and all of them for a person who goes to the end,
 * until `leave`. `arrive`: called once the end is read, or a page of it cannot be.
 */
export function useEnd(
  pages: UseInfiniteQueryResult,
  isNear: boolean,
  arrive: () => void,
): { isRead: boolean; approach: () => void; leave: () => void } {
  const [isWanted, setWanted] = useState(false);
  useReadOn(pages, isWanted || isNear);
  const isRead = !pages.hasNextPage || pages.isFetchNextPageError;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is read.
  useEffect(() => {
    if (isWanted && isRead) arrive();
  }, [isWanted, isRead]);
  return { isRead, approach: () => setWanted(true), leave: () => setWanted(false) };
}
