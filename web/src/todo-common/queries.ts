import { queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';

export type Todo = TandemOutputs['todos']['get'];

/** The lists of a workspace with their counts; read again with the todos. */
export const todoListsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'lists'],
    queryFn: async ({ signal }) => (await api.todoLists.list.query({}, { signal })).data,
    refetchInterval: (query) => pollUnlessLive(query, 30_000),
  });

export type TodoList = TandemOutputs['todoLists']['get'];

/** The lists of a workspace, archived ones too. */
export const allTodoListsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'lists', 'all'],
    queryFn: async ({ signal }) => (await api.todoLists.list.query({ includeArchived: true }, { signal })).data,
  });

export type Approval = TandemOutputs['approvals']['list']['data'][number];
export type Agent = TandemOutputs['agents']['list']['data'][number];

/** The agents of a workspace, archived ones too: chats and todos name them. */
export const agentsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['agents', workspaceId, 'all'],
    queryFn: async ({ signal }) => (await api.agents.list.query({ includeArchived: true }, { signal })).data,
    staleTime: 30_000,
  });

export type View = TandemOutputs['views']['get'];

/** The views that a person sees, in the order of the sidebar. */
export const viewsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['views', workspaceId],
    queryFn: async ({ signal }) => (await api.views.list.query({}, { signal })).data,
    refetchInterval: (query) => pollUnlessLive(query, 30_000),
  });
