import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';

export type Approval = TandemOutputs['approvals']['get'];

/**
 * An approval on a page. `isPending` is false if it was not among those that were read as pending: somebody decided it
 * elsewhere, or so many newer ones exist that it is on a later page.
 */
export interface ShownApproval {
  approval: Approval;
  isPending: boolean;
}

const pageSize = 100;

/** What agents ask for and nobody has decided, the newest first. */
export const pendingApprovalsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['approvals', workspaceId, 'pending'],
    queryFn: ({ pageParam, signal }) =>
      api.approvals.list.query(
        { status: 'pending', limit: pageSize, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** What the agent of a chat asks for and nobody has decided, the newest first. */
export const approvalsOfChatQuery = (workspaceId: string, chatId: string) =>
  queryOptions({
    queryKey: ['approvals', workspaceId, 'chat', chatId],
    queryFn: async ({ signal }) => (await api.approvals.list.query({ status: 'pending', chatId }, { signal })).data,
  });

/** An approval with its decision. */
export const approvalQuery = (workspaceId: string, approvalId: string) =>
  queryOptions({
    queryKey: ['approvals', workspaceId, 'one', approvalId],
    queryFn: ({ signal }) => api.approvals.get.query({ approvalId }, { signal }),
  });

const changedByDecisions = ['approvals', 'chats', 'todos', 'runs', 'notifications'];

/** Refetches what a decision made stale. */
export async function readAfterDecision(queryClient: QueryClient): Promise<void> {
  await Promise.all(changedByDecisions.map((kind) => readAgain(queryClient, kind)));
}
