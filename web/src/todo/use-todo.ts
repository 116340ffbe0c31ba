import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { changeTagged, readTagged, type Tagged } from '../api/tagged.ts';
import { useIdentity } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';
import { type Base, type Change, type Conflict, mergeChange, type Todo } from './merge.ts';

/** A todo with the tag of its version; read again while an agent may work on it. */
export const taggedTodoQuery = (workspaceId: string, todoId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'tagged', todoId],
    queryFn: ({ signal }) => readTagged<Todo>(`/todos/${encodeURIComponent(todoId)}`, signal),
    refetchInterval: ({ state }) => (state.data?.resource.latestRun?.status === 'running' ? 1_000 : 5_000),
  });

/** How often a change is merged with those of others before its error is shown. */
const maxMerges = 5;

/** Reads a todo, and saves its changes one after the other with `If-Match`. */
export function useTodo(todoId: string) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const options = taggedTodoQuery(workspace.id, todoId);
  const { queryKey } = options;
  const query = useQuery(options);
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const last = useRef<Promise<unknown>>(Promise.resolve());

  const send = useCallback(
    async (given: Change, base: Base): Promise<boolean> => {
      const path = `/todos/${encodeURIComponent(todoId)}`;
      let known: Tagged<Todo> =
        queryClient.getQueryData(queryKey) ?? (await queryClient.fetchQuery({ ...options, staleTime: 0 }));
      for (let round = 1; ; round++) {
        // What the page shows may be newer than what the person saw when the change began.
        const { rest, conflicts: found } = mergeChange(base, known.resource, given);
        if (found.length > 0) {
          const fields = found.map(({ field }) => field);
          setConflicts((all) => [...all.filter(({ field }) => !fields.includes(field)), ...found]);
        }
        if (Object.keys(rest).length === 0) return found.length === 0;
        try {
          await queryClient.cancelQueries({ queryKey });
          queryClient.setQueryData(queryKey, await changeTagged<Todo>(path, known.tag, rest));
          void readAgain(queryClient, 'todos');
          return true;
        } catch (error) {
          if (problemOf(error).status !== 412 || round === maxMerges) throw error;
          known = await queryClient.fetchQuery({ ...options, staleTime: 0 });
        }
      }
    },
    [todoId, queryClient, queryKey, options],
  );

  const save = (change: Change, base: Base | undefined = query.data?.resource): Promise<boolean> => {
    if (!base) return Promise.resolve(false);
    const saving = last.current
      .then(() => send(change, base))
      .catch((error: unknown) => {
        notify(problemOf(error).message);
        return false;
      });
    last.current = saving;
    return saving;
  };
  const settle = async (conflict: Conflict, keeps: 'mine' | 'theirs'): Promise<boolean> => {
    setConflicts((all) => all.filter((each) => each !== conflict));
    return keeps === 'theirs' || save(conflict.mine, conflict.current);
  };
  return { query, save, conflicts, settle };
}
