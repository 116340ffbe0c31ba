import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { TandemOutputs } from 'tandem/client';
import { api, problemOf } from '../api/client.ts';
import { holdReads } from '../api/held-reads.ts';
import { readAgain } from '../api/queries.ts';
import { useNotice } from '../ui/notice.tsx';
import { type Place, placed } from './order.ts';
import type { Todo } from './queries.ts';
import { nameOf } from './todo-parts.tsx';

type Page = TandemOutputs['todos']['list'];
type Pages = InfiniteData<Page>;

/** What a list showed before a move, and with it. */
interface Shown {
  queryKey: QueryKey;
  before: unknown;
  after: unknown;
}

/** The pages of a list with a todo at another place, each as long as before. */
function pagesWith(old: Pages, id: string, place: Place): Pages {
  let rows = placed(
    old.pages.flatMap(({ data }) => data),
    id,
    place,
  );
  const pages = old.pages.map((page) => {
    const data = rows.slice(0, page.data.length);
    rows = rows.slice(page.data.length);
    return { ...page, data };
  });
  return { ...old, pages };
}

/** Shows the lists as they were before these moves, one after the other, unless they have been read since. */
function takeBack(queryClient: QueryClient, moves: readonly Shown[]): void {
  const lists = new Map<string, Shown>();
  for (const { queryKey, before, after } of moves.toReversed()) {
    const key = JSON.stringify(queryKey);
    const now = lists.has(key) ? lists.get(key)?.before : queryClient.getQueryData(queryKey);
    if (now === after) lists.set(key, { queryKey, before, after });
  }
  for (const { queryKey, before } of lists.values()) queryClient.setQueryData(queryKey, before);
}

/**
 * Moves todos in the manual order, one after the other. Every list in that order shows a todo in its new place at once;
 * one that is refused comes back, with the sentence of the service.
 */
export function useOrder() {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  /** What refused moves show, since the latest stored one. They are taken back together, as one is shown on another. */
  const refused = useRef<Shown[]>([]);
  return useCallback(
    (todo: Todo, place: Place, shown: Place = place): Promise<void> => {
      const isOrdered = (name: unknown) => JSON.stringify(name)?.includes('"sort":"position"') === true;
      void queryClient.cancelQueries({ queryKey: ['todos'] });
      const seen = queryClient.getQueriesData({ queryKey: ['todos'] });
      queryClient.setQueriesData<Pages>(
        { predicate: ({ queryKey }) => queryKey[2] === 'list' && isOrdered(queryKey[3]) },
        (old) => old && pagesWith(old, todo.id, shown),
      );
      queryClient.setQueriesData<readonly Todo[]>(
        { predicate: ({ queryKey }) => queryKey[0] === 'todos' && queryKey[2] === 'subTodos' },
        (old) => old && placed(old, todo.id, shown),
      );
      const shows = seen.flatMap(([queryKey, before]): Shown[] => {
        const after = queryClient.getQueryData(queryKey);
        return after === before ? [] : [{ queryKey, before, after }];
      });
      const moving = last.current.then(async () => {
        try {
          await api.todos.move.mutate({ todoId: todo.id, ...place });
          refused.current = [];
        } catch (error) {
          refused.current.push(...shows);
          notify(`“${nameOf(todo)}” is not moved. ${problemOf(error).message}`);
        }
      });
      last.current = moving;
      // A read between two moves, such as one caused by an event, would show the first move without the second.
      holdReads(queryClient, 'todos', moving);
      return moving.then(() => {
        if (last.current !== moving) return;
        // They come back also where nothing can be read then.
        takeBack(queryClient, refused.current.splice(0));
        return readAgain(queryClient, 'todos');
      });
    },
    [queryClient, notify],
  );
}
