import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { TandemInputs, TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { Todo } from '../work/queries.ts';

/* Changes of many todos, and their inverse. */

export type Patch = Pick<
  NonNullable<TandemInputs['todos']['bulkUpdate']['patch']>,
  'status' | 'priority' | 'todoListId' | 'assignees'
>;

/** What is done to todos. */
export type TodoChange = { type: 'patch'; patch: Patch } | { type: 'archive' } | { type: 'restore' };

/** A change of some of the todos. */
export interface Step {
  change: TodoChange;
  ids: readonly string[];
}

/** Todos in one request at most. */
const maxIds = 100;

type Pages = InfiniteData<TandemOutputs['todos']['list']>;

/** Puts todos into every list that shows them, in their places. */
function showIn(queryClient: QueryClient, todos: readonly Todo[]): void {
  const changed = new Map(todos.map((todo) => [todo.id, todo]));
  queryClient.setQueriesData<Pages>(
    { predicate: ({ queryKey }) => queryKey[0] === 'todos' && queryKey[2] === 'list' },
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({ ...page, data: page.data.map((todo) => changed.get(todo.id) ?? todo) })),
      },
  );
}

function fieldsOf(todo: Todo, patch: Patch): Patch {
  return {
    ...(patch.status !== undefined && { status: todo.status }),
    ...(patch.priority !== undefined && { priority: todo.priority }),
    ...(patch.todoListId !== undefined && { todoListId: todo.todoListId }),
    ...(patch.assignees !== undefined && { assignees: todo.assignees.map(({ id }) => ({ id })) }),
  };
}

/** What undoes a change of these todos: as they were before it. */
export function inverseOf(change: TodoChange, before: readonly Todo[]): Step[] {
  const ids = before.map(({ id }) => id);
  if (change.type !== 'patch') return [{ change: { type: change.type === 'archive' ? 'restore' : 'archive' }, ids }];
  const groups = Map.groupBy(before, (todo) => JSON.stringify(fieldsOf(todo, change.patch)));
  return [...groups].map(([text, todos]) => ({
    change: { type: 'patch', patch: JSON.parse(text) as Patch },
    ids: todos.map(({ id }) => id),
  }));
}

async function send(change: TodoChange, ids: string[]): Promise<readonly Todo[]> {
  if (change.type === 'restore') return Promise.all(ids.map((todoId) => api.todos.restore.mutate({ todoId })));
  const what = change.type === 'patch' ? { patch: change.patch } : { archive: true as const };
  return (await api.todos.bulkUpdate.mutate({ ids, ...what })).data;
}

/** Carries steps out, a hundred todos a request, and calls `onProgress` with how many are changed. @throws TandemError. */
export async function carryOut(
  queryClient: QueryClient,
  steps: readonly Step[],
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  let done = 0;
  try {
    for (const { change, ids } of steps) {
      for (let place = 0; place < ids.length; place += maxIds) {
        const part = ids.slice(place, place + maxIds);
        showIn(queryClient, await send(change, part));
        done += part.length;
        onProgress(done);
      }
    }
  } finally {
    void readAgain(queryClient, 'todos');
  }
}

/** Refuses a change that would be refused, and changes nothing. @throws TandemError. */
export async function tryOut(patch: Patch, ids: readonly string[]): Promise<void> {
  await api.todos.bulkUpdate.mutate({ ids: ids.slice(0, maxIds), patch, dryRun: true });
}
