import { queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import type { Assignable } from './parse.ts';

/** The members and the agents of a workspace: those to whom a todo can be assigned. Saved for reading offline. */
export const assignableQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['assignable', workspaceId],
    queryFn: async ({ signal }): Promise<Assignable[]> => {
      const [members, agents] = await Promise.all([
        api.workspaces.listMembers.query({ workspaceId }, { signal }),
        api.agents.list.query({}, { signal }),
      ]);
      return [
        ...members.data.map(({ id, name }) => ({ id, name, type: 'user' as const })),
        ...agents.data.map(({ id, name }) => ({ id, name, type: 'agent' as const })),
      ];
    },
    staleTime: 60_000,
  });

export type Label = TandemOutputs['labels']['get'];

/** All labels of a workspace, by name. */
export const labelsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['labels', workspaceId],
    queryFn: async ({ signal }) => (await api.labels.list.query({}, { signal })).data,
    refetchInterval: (query) => pollUnlessLive(query, 30_000),
  });

/** The one behind the session, by the word of the API for it. */
export const me: Assignable = { id: 'me', name: 'me', type: 'user' };
