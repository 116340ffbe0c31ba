import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { followChat } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive, repeatFailed } from '../api/live-state.ts';
import { readAgain } from '../api/queries.ts';
import { Conversation, pageSize } from './conversation.ts';
import { type ChatStatus, chatQuery, isWorking, type Message, showStatus } from './queries.ts';
import { storedMessagesKey, withoutCaptures } from './stored-messages.ts';
import { isGone } from './use-outbox.ts';

/**
 * How often a chat is read beside its stream, in ms. Only the stream brings text at once, but what it does not bring (a
 * proxy that holds it back, a turn that another member starts) is noticed by these reads.
 */
const pollMs = { streamed: 5_000, alone: 2_000, idle: 8_000 };

/** A chat with its messages, live while its agent works. Use it in a component with the chat as its key. */
export function useConversation(workspaceId: string, chatId: string) {
  const queryClient = useQueryClient();
  const storedKey = [...storedMessagesKey(queryClient, workspaceId), chatId];
  const [conversation] = useState(
    () =>
      new Conversation({
        messages: (afterSequence, limit) => api.chats.listMessages.query({ chatId, afterSequence, limit }),
        follow: (afterSequence, signal) => followChat(api, chatId, { afterSequence, signal }),
        stored: () => queryClient.getQueryData<Message[]>(storedKey) ?? [],
      }),
  );
  const view = useSyncExternalStore(conversation.subscribe, conversation.view);
  const { messages, isOpened, isStreamLost } = view;
  const query = useQuery({
    ...chatQuery(workspaceId, chatId),
    refetchInterval: (read) => {
      const status = read.state.data?.chat.status;
      if (status === undefined || isGone(read.state.error)) return repeatFailed(read);
      if (isWorking(status) && read.state.status !== 'error') return isStreamLost ? pollMs.alone : pollMs.streamed;
      return pollUnlessLive(read, status === 'awaiting_input' ? pollMs.streamed : pollMs.idle);
    },
  });
  const chat = query.data?.chat;
  const count = chat?.messageCount;
  const works = chat !== undefined && isWorking(chat.status);

  useEffect(() => {
    if (count === undefined) return;
    const left = new AbortController();
    void conversation.keepUp(count, left.signal);
    return () => left.abort();
  }, [conversation, count]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is that of the chat, whose conversation this is.
  useEffect(() => {
    if (messages.length > 0) queryClient.setQueryData(storedKey, messages.slice(-pageSize).map(withoutCaptures));
  }, [queryClient, messages]);

  useEffect(() => {
    if (!isOpened || !works) return;
    const ended = new AbortController();
    let hasSettled = false;
    const show = async (status: ChatStatus) => {
      await showStatus(workspaceId, chatId, status);
      if (hasSettled || isWorking(status)) return;
      hasSettled = true;
      // Title, approvals and the reason of a failure are not part of the stream, which is left once the status is
      // shown.
      await readAgain(queryClient, 'chats');
    };
    void conversation.follow(ended.signal, (status) => void show(status));
    return () => {
      ended.abort();
      conversation.endText();
    };
  }, [conversation, queryClient, workspaceId, chatId, isOpened, works]);

  return { conversation, view, query };
}
