import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';

const pageSize = 100;

/** Todos that agents suggest and nobody accepted or dismissed, the newest first. */
export const suggestionsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'suggested'],
    queryFn: ({ pageParam, signal }) =>
      api.todos.list.query({ isSuggested: true, limit: pageSize, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export type Snooze = TandemOutputs['snoozes']['list']['data'][number];

/** What the person does not want to see in the inbox for now. */
export const snoozesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['snoozes', workspaceId],
    queryFn: async ({ signal }) => (await api.snoozes.list.query({}, { signal })).data,
  });
