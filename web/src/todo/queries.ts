import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';

export type Comment = TandemOutputs['todos']['getComment'];
export type Reminder = TandemOutputs['todos']['listReminders']['data'][number];
export type ActivityEvent = TandemOutputs['todos']['listActivity']['data'][number];

const pollMs = 5_000;
const maxSubTodos = 200;
const commentsPerPage = 50;

/** The sub-todos of a todo in their manual order. */
export const subTodosQuery = (workspaceId: string, parentTodoId: string) =>
  queryOptions({
    // The id is not by itself: a todo that is taken out names its former parent no more.
    queryKey: ['todos', workspaceId, 'subTodos', { parentTodoId }],
    queryFn: async ({ signal }) => {
      const input = { parentTodoId, sort: 'position', order: 'asc', limit: maxSubTodos } as const;
      return (await api.todos.list.query(input, { signal })).data;
    },
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** The reminders that the person has of a todo. What a change of the todo does to them is read with it. */
export const remindersQuery = (workspaceId: string, todoId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'reminders', { todoId }],
    queryFn: async ({ signal }) => (await api.todos.listReminders.query({ todoId }, { signal })).data,
  });

/** The comments on a todo, oldest first. */
export const commentsQuery = (workspaceId: string, todoId: string) =>
  infiniteQueryOptions({
    queryKey: ['comments', workspaceId, todoId],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listComments.query(
        { todoId, limit: commentsPerPage, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** What happened to a todo, latest first; read again with the todos. */
export const activityQuery = (workspaceId: string, todoId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'activity', todoId],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listActivity.query({ todoId, limit: 20, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
