import { infiniteQueryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';

export type Comment = TandemOutputs['todos']['getComment'];
export type ActivityEvent = TandemOutputs['todos']['listActivity']['data'][number];

const pollMs = 5_000;
const commentsPerPage = 50;

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
    refetchInterval: pollMs,
  });

/** What happened to a todo, latest first; read again with the todos. */
export const activityQuery = (workspaceId: string, todoId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'activity', todoId],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listActivity.query({ todoId, limit: 20, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: pollMs,
  });
