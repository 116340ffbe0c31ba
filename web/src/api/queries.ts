import { queryOptions } from '@tanstack/react-query';
import { api, isSignedOut } from './client.ts';

/*
 * Everything the pages read, by key. The first part of a key is what a change invalidates:
 * `queryClient.invalidateQueries({ queryKey: ['members'] })`.
 */

/** Who is signed in, and where; null when nobody is. */
export const identityQuery = queryOptions({
  queryKey: ['identity'],
  queryFn: ({ signal }) =>
    api.meta.identity.query({}, { signal }).catch((error: unknown) => {
      if (isSignedOut(error)) return null;
      throw error;
    }),
  staleTime: 60_000,
});

export type Identity = NonNullable<Awaited<ReturnType<typeof api.meta.identity.query>>>;

export const serviceInfoQuery = queryOptions({
  queryKey: ['serviceInfo'],
  queryFn: ({ signal }) => api.meta.serviceInfo.query({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => api.workspaces.list.query({}, { signal }),
});

export const scopesQuery = queryOptions({
  queryKey: ['scopes'],
  queryFn: ({ signal }) => api.apiKeys.scopes.query({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type ScopeCatalog = Awaited<ReturnType<typeof api.apiKeys.scopes.query>>;
export type Scope = ScopeCatalog['scopes'][number];
export type ScopeName = Scope['name'];

export const apiKeysQuery = (workspaceId: string, includeRevoked: boolean) =>
  queryOptions({
    queryKey: ['apiKeys', workspaceId, includeRevoked],
    queryFn: ({ signal }) => api.apiKeys.list.query({ workspaceId, includeRevoked }, { signal }),
  });

export type ApiKey = Awaited<ReturnType<typeof api.apiKeys.list.query>>['data'][number];

export const connectedAppsQuery = (workspaceId: string, includeRevoked: boolean) =>
  queryOptions({
    queryKey: ['connectedApps', workspaceId, includeRevoked],
    queryFn: ({ signal }) => api.connectedApps.list.query({ workspaceId, includeRevoked }, { signal }),
  });

export type ConnectedApp = Awaited<ReturnType<typeof api.connectedApps.list.query>>['data'][number];

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId],
    queryFn: ({ signal }) => api.workspaces.listMembers.query({ workspaceId }, { signal }),
  });

export type Member = Awaited<ReturnType<typeof api.workspaces.listMembers.query>>['data'][number];

export const invitationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['invitations', workspaceId],
    queryFn: ({ signal }) => api.workspaces.listInvitations.query({ workspaceId }, { signal }),
  });

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.auth.listSessions.query({}, { signal }),
});
