import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import type { Tagged } from '../api/tagged.ts';
import type { Todo } from './merge.ts';
import type { Action, Write } from './write.ts';

/* What the pages have read of todos, and what a change shows before it is read again. */

type Pages = InfiniteData<TandemOutputs['todos']['list']>;
type Assignee = Todo['assignees'][number];
type Label = Todo['labels'][number];

/** The key of one todo with its tag. */
const taggedKey = (workspaceId: string, todoId: string) => ['todos', workspaceId, 'tagged', todoId] as const;

/** Puts todos into every list that shows them, in their places, and the version of one todo where its page reads it. */
export function keepAnswer(
  queryClient: QueryClient,
  workspaceId: string,
  todos: readonly Todo[],
  tagged: Tagged<Todo> | null,
): void {
  if (tagged) queryClient.setQueryData(taggedKey(workspaceId, tagged.resource.id), tagged);
  const changed = new Map(todos.map((todo) => [todo.id, todo]));
  const newerOf = (todo: Todo) => {
    const answer = changed.get(todo.id);
    return answer && answer.version > todo.version ? answer : todo;
  };
  queryClient.setQueriesData<Pages>(
    { queryKey: ['todos', workspaceId, 'list'] },
    (old) => old && { ...old, pages: old.pages.map((page) => ({ ...page, data: page.data.map(newerOf) })) },
  );
}

/** A todo out of the lists that this window has read, where it cannot be read itself; undefined where none has it. */
export function todoInLists(queryClient: QueryClient, workspaceId: string, todoId: string): Todo | undefined {
  const lists = queryClient.getQueriesData<Pages>({ queryKey: ['todos', workspaceId, 'list'] });
  const todos = lists.flatMap(([, data]) => data?.pages.flatMap((page) => page.data) ?? []);
  return todos.find(({ id }) => id === todoId);
}

/** The version of a todo that was read last, if it is the one that is shown. */
export function knownOf(queryClient: QueryClient, workspaceId: string, todo: Todo): Tagged<Todo> | null {
  const known = queryClient.getQueryData<Tagged<Todo>>(taggedKey(workspaceId, todo.id));
  return known?.resource.version === todo.version ? known : null;
}

/** Somebody as an assignee, as far as this window knows their name. */
function assigneeOf(queryClient: QueryClient, workspaceId: string, id: string, todos: readonly Todo[]): Assignee {
  const there = todos.flatMap(({ assignees }) => assignees).find((each) => each.id === id);
  if (there) return there;
  const lists = ['members', 'assignable'].flatMap((kind) =>
    queryClient.getQueriesData({ queryKey: [kind, workspaceId] }),
  );
  const people = lists.flatMap(([, data]) => (Array.isArray(data) ? (data as Partial<Assignee>[]) : []));
  const { name = '…', type = 'user' } = people.find((each) => each.id === id) ?? {};
  return { object: 'todo_assignee', id, name, type, profilePhotoUrl: null, isArchived: false };
}

/** Labels as todos have them, as far as this window knows their names. */
function labelsOf(queryClient: QueryClient, workspaceId: string, ids: readonly string[], todos: readonly Todo[]) {
  const read = queryClient.getQueryData<readonly Omit<Label, 'object'>[]>(['labels', workspaceId]) ?? [];
  const known = [...read, ...todos.flatMap(({ labels }) => labels)];
  return ids.flatMap((id): Label[] => {
    const found = known.find((each) => each.id === id);
    return found ? [{ object: 'todo_label', id, name: found.name, color: found.color }] : [];
  });
}

/** What is shown of todos after an action, until the service has answered. */
export function shownOf(
  queryClient: QueryClient,
  workspaceId: string,
  action: Action,
  todos: readonly Todo[],
): Pick<Write, 'shows' | 'labels'> {
  if (action.operation === 'create') return { shows: {} };
  if (action.operation !== 'update') return { shows: { isArchived: action.operation === 'archive' } };
  const { assignees, labelIds, addLabelIds, removeLabelIds, schedule: _, schedulePaused: __, ...plain } = action.change;
  const labels = (ids: readonly string[]) => labelsOf(queryClient, workspaceId, ids, todos);
  return {
    shows: {
      ...(plain as Partial<Todo>),
      ...(labelIds && { labels: labels(labelIds) }),
      ...(assignees && { assignees: assignees.map(({ id }) => assigneeOf(queryClient, workspaceId, id, todos)) }),
    },
    ...((addLabelIds ?? removeLabelIds) && {
      labels: { add: labels(addLabelIds ?? []), remove: removeLabelIds ?? [] },
    }),
  };
}
