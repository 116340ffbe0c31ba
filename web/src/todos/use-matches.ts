import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { useNotice } from '../ui/notice.tsx';
import type { TodoPages } from './use-pending.ts';
import type { Selection } from './use-selection.ts';

/** The ids of the todos of pages, each once: a todo may be in several groups. */
const idsOf = (pages: TodoPages | undefined) => [
  ...new Set(pages?.pages.flatMap(({ data }) => data.map(({ id }) => id)) ?? []),
];

/**
 * Selects all todos that a list has, after what is not read yet. Ids, not the filter, are sent then: what is undone is
 * known, and what is added meanwhile is left alone. `reading`: how many are read, while it reads. It ends, and selects
 * nothing, once the selection is changed or ended.
 */
export function useMatches(todos: UseInfiniteQueryResult<TodoPages>, selection: Selection) {
  const notify = useNotice();
  const [reading, setReading] = useState<number | null>(null);
  const { changes } = selection;
  useEffect(
    () => () => {
      changes.current += 1;
    },
    [changes],
  );
  const select = async () => {
    const begun = changes.current;
    let result = todos;
    let isRefused = false;
    while (result.hasNextPage && !isRefused) {
      setReading(idsOf(result.data).length);
      result = (await todos.fetchNextPage()) as typeof todos;
      isRefused = result.isFetchNextPageError;
      if (changes.current !== begun) return setReading(null);
    }
    setReading(null);
    if (isRefused) notify(`${problemOf(result.error).message} Not all todos are selected.`);
    selection.set(idsOf(result.data));
  };
  return { reading, select };
}
