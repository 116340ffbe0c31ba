import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';

export type Todo = TandemOutputs['todos']['get'];

/** The lists of a workspace with their counts; read again with the todos. */
export const todoListsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'lists'],
    queryFn: async ({ signal }) => (await api.todoLists.list.query({}, { signal })).data,
    refetchInterval: 30_000,
  });

/** The latest chats of a workspace. */
export const chatsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['chats', workspaceId, 'list'],
    queryFn: ({ pageParam, signal }) => api.chats.list.query({ ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 5_000,
  });

export type Chat = TandemOutputs['chats']['get'];
export type Message = TandemOutputs['chats']['listMessages']['data'][number];
export type Approval = TandemOutputs['approvals']['list']['data'][number];

/** Whether the agent of a chat is at work. */
export function isWorking({ status }: Pick<Chat, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

const pageSize = 100;

async function readChat(chatId: string, signal: AbortSignal) {
  // The status before the messages: what it says has arrived is then among them.
  const chat = await api.chats.get.query({ chatId }, { signal });
  const messages: Message[] = [];
  for (;;) {
    const afterSequence = messages.at(-1)?.sequence ?? 0;
    const page = await api.chats.listMessages.query({ chatId, afterSequence, limit: pageSize }, { signal });
    messages.push(...page.data);
    if (!page.hasMore) break;
  }
  const waits = chat.status === 'awaiting_input';
  const approvals = waits ? await api.approvals.list.query({ chatId, status: 'pending' }, { signal }) : null;
  return { chat, messages, approvals: approvals?.data ?? [] };
}

/** A chat with its messages and what its agent asks to be allowed; read again while the agent works or waits. */
export const chatQuery = (workspaceId: string, chatId: string) =>
  queryOptions({
    queryKey: ['chats', workspaceId, 'one', chatId],
    queryFn: ({ signal }) => readChat(chatId, signal),
    refetchInterval: ({ state }) => {
      if (state.data === undefined || isWorking(state.data.chat)) return 1_000;
      return state.data.chat.status === 'awaiting_input' ? 5_000 : false;
    },
  });

/** The agent that answers where none is named. */
export const assistantQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['agents', workspaceId, 'default'],
    queryFn: async ({ signal }) => {
      const { data } = await api.agents.list.query({}, { signal });
      return data.find(({ isDefault }) => isDefault) ?? null;
    },
  });
