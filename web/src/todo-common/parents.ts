import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { todosOf } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from './queries.ts';
import { nameOf } from './todo-parts.tsx';

/** Todos that one request reads by their ids at most, and requests of one list. */
const maxIds = 100;
const maxRequests = 5;

/** The names of todos, by their ids. */
export const namesQuery = (workspaceId: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'names', { ids }],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, place) =>
        ids.slice(place * maxIds, (place + 1) * maxIds),
      );
      const pages = await Promise.all(parts.map((part) => todosOf(part, { signal })));
      return Object.fromEntries(pages.flat().map((todo) => [todo.id, nameOf(todo)]));
    },
    staleTime: 30_000,
  });

/** The names of the todos that these are parts of: from the list itself, else read for all of them at once. */
export function useParentNames(todos: readonly Todo[]): (todo: Todo) => string | undefined {
  const { workspace } = useIdentity();
  const { known, missing } = useMemo(() => {
    const known = new Map(todos.map((todo) => [todo.id, todo]));
    const wanted = new Set(todos.flatMap(({ parentTodoId }) => parentTodoId ?? []));
    return { known, missing: [...wanted].filter((id) => !known.has(id)).slice(0, maxIds * maxRequests) };
  }, [todos]);
  const { data } = useQuery({
    ...namesQuery(workspace.id, missing),
    enabled: missing.length > 0,
    placeholderData: keepPreviousData,
  });
  return ({ parentTodoId }) => {
    if (parentTodoId === null) return undefined;
    const parent = known.get(parentTodoId);
    return parent ? nameOf(parent) : data?.[parentTodoId];
  };
}
