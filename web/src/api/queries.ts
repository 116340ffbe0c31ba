import { infiniteQueryOptions, type QueryClient, type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { actorId, setActor, whenMoved } from './acting.ts';
import { noteIdentity } from './answers.ts';
import { api, isSignedOut, problemOf } from './client.ts';
import { whenReadable } from './held-reads.ts';
import { pollUnlessLive } from './live-state.ts';

/*
 * The queries of the pages. A change invalidates all queries with the same first key part:
 * `readAgain(queryClient, 'members')`.
 */

/**
 * Refetches what a change made stale: one kind, or everything. It waits for the changes that hold these reads
 * (held-reads.ts). Running fetches are cancelled first, because TanStack Query would accept a response from before the
 * change.
 */
export async function readAgain(queryClient: QueryClient, kind?: string): Promise<void> {
  await whenReadable(queryClient, kind);
  const stale = kind === undefined ? {} : { queryKey: [kind] };
  await queryClient.cancelQueries(stale);
  await queryClient.invalidateQueries(stale);
}

type Restore = (queryClient: QueryClient) => Promise<Identity | null>;
let restore: Restore = async () => null;

/** Sets what restores the data of the last session where the service cannot be reached (offline/). */
export function setRestore(by: Restore): void {
  restore = by;
}

/**
 * The identity that this browser has stored, for a window that is opened without a connection. @throws `error` without.
 */
async function storedIdentity(queryClient: QueryClient, error: unknown): Promise<Identity> {
  const isFirst = queryClient.getQueryData(['identity']) === undefined;
  const stored = isFirst && problemOf(error).status === 0 ? await restore(queryClient) : null;
  if (stored === null) throw error;
  setActor(stored);
  return stored;
}

/** Removes what was read for a person, except who it is. */
export function forgetReads(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'identity' });
}

/**
 * Reads the signed-in user and workspace; null without a session. What was read for another person is forgotten. A 401
 * may be that of a session which is being moved, so it counts when it is repeated.
 */
export function readIdentity(context: QueryFunctionContext, isRepeated = false): Promise<Identity | null> {
  const { signal, client } = context;
  return api.meta.identity.query({}, { signal }).then(
    (identity) => {
      noteIdentity(identity.workspace.id);
      // The first one of a window is read beside what its page reads.
      if ((actorId() ?? identity.user.id) !== identity.user.id) forgetReads(client);
      setActor(identity);
      return identity;
    },
    async (error: unknown) => {
      if (!isSignedOut(error)) return storedIdentity(client, error);
      if (actorId() !== undefined && !isRepeated) return whenMoved().then(() => readIdentity(context, true));
      setActor(null);
      return null;
    },
  );
}

/** The signed-in user and workspace; null without a session. */
export const identityQuery = queryOptions({ queryKey: ['identity'], queryFn: readIdentity, staleTime: 60_000 });

export type Identity = NonNullable<Awaited<ReturnType<typeof api.meta.identity.query>>>;

/** Whether the address of the signed-in user is confirmed; the link may be opened in another window. */
export const emailVerificationQuery = queryOptions({
  queryKey: ['emailVerification'],
  queryFn: ({ signal }) => api.auth.getEmailVerification.query({}, { signal }),
});

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

export const secondFactorsQuery = queryOptions({
  queryKey: ['secondFactors'],
  queryFn: ({ signal }) => api.secondFactors.get.query({}, { signal }),
});

export type SecondFactors = Awaited<ReturnType<typeof api.secondFactors.get.query>>;

export const passkeysQuery = queryOptions({
  queryKey: ['secondFactors', 'passkeys'],
  queryFn: ({ signal }) => api.secondFactors.listPasskeys.query({}, { signal }),
});

/** Refetches what a change of a second factor made stale: a required one also opens the workspace. */
export async function readFactorsAgain(queryClient: QueryClient): Promise<void> {
  await readAgain(queryClient, 'secondFactors');
  await readAgain(queryClient, 'identity');
}

export type Passkey = Awaited<ReturnType<typeof api.secondFactors.listPasskeys.query>>['data'][number];

/** Number of unread notifications, refetched every 30 s without live updates. */
export const unreadCountQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['notifications', workspaceId, 'unreadCount'],
    queryFn: async ({ signal }) => (await api.notifications.list.query({ limit: 1 }, { signal })).unreadCount,
    refetchInterval: (query) => pollUnlessLive(query, 30_000),
  });

export const notificationsQuery = (workspaceId: string, unread: boolean) =>
  infiniteQueryOptions({
    queryKey: ['notifications', workspaceId, 'list', unread],
    queryFn: ({ pageParam, signal }) =>
      api.notifications.list.query({ unread, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export type NotificationPage = Awaited<ReturnType<typeof api.notifications.list.query>>;
export type Notification = NotificationPage['data'][number];

export const notificationSettingsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['notificationSettings', workspaceId],
    queryFn: ({ signal }) => api.notifications.settings.query({}, { signal }),
  });

export type NotificationSettings = Awaited<ReturnType<typeof api.notifications.settings.query>>;

/** The todos of these ids that exist, of all their pages: long ones come in several. */
export async function todosOf(
  ids: string[],
  options: { signal?: AbortSignal } = {},
  cursor?: string,
): Promise<TandemOutputs['todos']['list']['data']> {
  const { data, nextCursor } = await api.todos.list.query({ ids, cursor }, options);
  return nextCursor === null ? data : [...data, ...(await todosOf(ids, options, nextCursor))];
}
