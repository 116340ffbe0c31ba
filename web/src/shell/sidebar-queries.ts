import type { QueryKey } from '@tanstack/react-query';
import { emailVerificationQuery, unreadCountQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { todoListsQuery, viewsQuery } from '../todo-common/queries.ts';

/** A query that is started before the page: under which key it is filed, and how it is read. */
export interface Read {
  key(workspaceId: string): QueryKey;
  fetch(workspaceId: string): Promise<unknown>;
}

/** What the sidebar reads, in the batch of the first page. */
export const sidebarReads: readonly Read[] = [
  {
    key: (workspaceId) => todoListsQuery(workspaceId).queryKey,
    fetch: (workspaceId) => queryClient.fetchQuery(todoListsQuery(workspaceId)),
  },
  {
    key: (workspaceId) => viewsQuery(workspaceId).queryKey,
    fetch: (workspaceId) => queryClient.fetchQuery(viewsQuery(workspaceId)),
  },
  {
    key: (workspaceId) => unreadCountQuery(workspaceId).queryKey,
    fetch: (workspaceId) => queryClient.fetchQuery(unreadCountQuery(workspaceId)),
  },
];

/** Reads whether the address of the person is confirmed, in the same batch. */
export function startVerification(): void {
  void queryClient.prefetchQuery(emailVerificationQuery);
}
