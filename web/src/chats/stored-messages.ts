import type { QueryClient } from '@tanstack/react-query';
import type { Message } from './queries.ts';

/*
 * The newest messages of chats, for a page that is opened without a connection. No query reads them: what is put there
 * is stored with what was read (offline/saved-reads.ts), and stays as long as the window.
 */

/** The first parts of their keys, which the id of the chat follows. */
export function storedMessagesKey(queryClient: QueryClient, workspaceId: string) {
  const key = ['chats', workspaceId, 'messages'];
  queryClient.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
  return key;
}

const hidden = { note: 'Not stored in this browser, as it may quote captures. Open the chat with a connection.' };

/** A message without the outputs of tools that may quote captures, which are not stored in browsers. */
export function withoutCaptures(message: Message): Message {
  const blocks = message.blocks.map((block) =>
    // Earlier releases do not say whether it does.
    block.type === 'tool_result' && block.quotesCaptures !== false ? { ...block, output: hidden } : block,
  );
  return { ...message, blocks };
}
