import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
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

/**
 * Moves todos in the manual order, one after the other. Every list in that order shows a todo in its new place at once; one
 * that is refused comes back, with the sentence of the service.
 */
export function useOrder() {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(
    (todo: Todo, place: Place, shown: Place = place): Promise<void> => {
      const isOrdered = (name: unknown) => JSON.stringify(name)?.includes('"sort":"position"') === true;
      void queryClient.cancelQueries({ queryKey: ['todos'] });
      queryClient.setQueriesData<Pages>(
        { predicate: ({ queryKey }) => queryKey[2] === 'list' && isOrdered(queryKey[3]) },
        (old) => old && pagesWith(old, todo.id, shown),
      );
      queryClient.setQueriesData<readonly Todo[]>(
        { predicate: ({ queryKey }) => queryKey[0] === 'todos' && queryKey[2] === 'subTodos' },
        (old) => old && placed(old, todo.id, shown),
      );
      const moving = last.current.then(async () => {
        try {
          await api.todos.move.mutate({ todoId: todo.id, ...place });
        } catch (error) {
          notify(`“${nameOf(todo)}” is not moved. ${problemOf(error).message}`);
        }
      });
      last.current = moving;
      // What is read between two moves, because of an event too, would show the first without the second.
      holdReads(queryClient, 'todos', moving);
      return moving.then(() => (last.current === moving ? readAgain(queryClient, 'todos') : undefined));
    },
    [queryClient, notify],
  );
}
