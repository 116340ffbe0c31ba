import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { queryClient } from '../api/query-client.ts';
import type { Agent } from '../todo-common/queries.ts';

export type Chat = TandemOutputs['chats']['get'];
export type ChatStatus = Chat['status'];
export type Message = TandemOutputs['chats']['listMessages']['data'][number];

/** Which chats a list shows. */
export interface ChatFilter {
  status: ChatStatus | null;
  includeArchived: boolean;
}

export const statuses: readonly ChatStatus[] = [
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
];

/** The filter in an address, under the names of REST's parameters. What is not one is left out. */
export function chatFilterIn(search: string): ChatFilter {
  const parameters = new URLSearchParams(search);
  const status = statuses.find((each) => each === parameters.get('status')) ?? null;
  return { status, includeArchived: parameters.get('includeArchived') === 'true' };
}

/**
 * The most recently active chats; without live updates read every five seconds, or every half minute where that takes
 * several pages.
 */
export const chatsQuery = (workspaceId: string, { status, includeArchived }: ChatFilter) =>
  infiniteQueryOptions({
    queryKey: ['chats', workspaceId, 'list', { status, includeArchived }],
    queryFn: ({ pageParam, signal }) =>
      api.chats.list.query(
        { includeArchived, ...(status && { status }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => pollUnlessLive(query, (query.state.data?.pages.length ?? 1) > 1 ? 30_000 : 5_000),
  });

/** Whether the agent of a chat is at work, or queued. */
export function isWorking(status: ChatStatus): boolean {
  return status === 'queued' || status === 'running';
}

async function readChat(chatId: string, signal: AbortSignal) {
  const chat = await api.chats.get.query({ chatId }, { signal });
  const waits = chat.status === 'awaiting_input';
  const approvals = waits ? await api.approvals.list.query({ chatId, status: 'pending' }, { signal }) : null;
  return { chat, approvals: approvals?.data ?? [] };
}

/** A chat, and what its agent asks to be allowed. Its messages are read by a `Conversation`. */
export const chatQuery = (workspaceId: string, chatId: string) =>
  queryOptions({
    queryKey: ['chats', workspaceId, 'one', chatId],
    queryFn: ({ signal }) => readChat(chatId, signal),
  });

/**
 * Shows a status that is newer than what was read of the chat, such as that of a stream. A read that is under way may
 * be older and is cancelled.
 */
export async function showStatus(workspaceId: string, chatId: string, status: ChatStatus): Promise<void> {
  const { queryKey } = chatQuery(workspaceId, chatId);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, (known) => {
    if (!known) return known;
    const { chat, approvals } = known;
    const errorMessage = status === 'failed' ? chat.errorMessage : null;
    return { chat: { ...chat, status, errorMessage }, approvals: status === 'awaiting_input' ? approvals : [] };
  });
}

/** The agent that answers in a chat: the named one, or the default one. */
export function agentOf({ agentId }: Pick<Chat, 'agentId'>, agents: readonly Agent[] | undefined): Agent | undefined {
  return agents?.find((agent) => (agentId === null ? agent.isDefault : agent.id === agentId));
}

/** The todo that a chat works for. */
export const todoOfChatQuery = (workspaceId: string, todoId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'of-chat', todoId],
    queryFn: ({ signal }) => api.todos.get.query({ todoId }, { signal }),
    retry: false,
  });
