import { useSyncExternalStore } from 'react';
import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';
import { api, problemOf } from '../api/client.ts';
import { guardSession } from '../session/session.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { createOutbox, type Outbox, type Outgoing } from './outbox.ts';
import { showStatus } from './queries.ts';

/** The outboxes of this window: one that is left goes on with what it has begun to send. */
const outboxes = new Map<string, Outbox>();

guardSession({ check: () => {}, clear: () => outboxes.clear() });

function outboxOf(workspaceId: string, chatId: string): Outbox {
  const known = outboxes.get(chatId);
  if (known) return known;
  const name = `chat.${chatId}.outbox`;
  const outbox = createOutbox({
    load: () => storedDraft<Outgoing[]>(name),
    // After signing out nothing of the person is stored again.
    store: (all) => (outboxes.has(chatId) ? storeDraft(name, all) : undefined),
    newKey,
    problemOf,
    now: Date.now,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onBusy: () => void showStatus(workspaceId, chatId, 'running'),
    send: async (message, key) => {
      const { messageSequence, status } = await api.chats.sendMessage.mutate({ chatId, message }, keyed(key));
      await showStatus(workspaceId, chatId, status);
      return messageSequence;
    },
  });
  outboxes.set(chatId, outbox);
  return outbox;
}

/** The messages of a chat that are on their way, and what can be done with them. */
export function useOutbox(workspaceId: string, chatId: string): { outbox: Outbox; outgoing: readonly Outgoing[] } {
  const outbox = outboxOf(workspaceId, chatId);
  return { outbox, outgoing: useSyncExternalStore(outbox.subscribe, outbox.view) };
}
