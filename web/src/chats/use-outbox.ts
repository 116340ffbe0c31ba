import { useSyncExternalStore } from 'react';
import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';
import { actingAs } from '../api/acting.ts';
import { api, problemOf } from '../api/client.ts';
import { guardSession } from '../session/session.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { createOutbox, type Outbox, type Outgoing } from './outbox.ts';
import { showStatus } from './queries.ts';

/** The outboxes of this window. One that is left goes on with what it has begun to send, as long as the person is there. */
const outboxes = new Map<string, Outbox>();

guardSession({ check: () => {}, clear: () => outboxes.clear() });

function outboxOf(workspaceId: string, chatId: string): Outbox {
  const scopeNow = () => `${actingAs()['Tandem-Acting-As']} ${chatId}`;
  const scope = scopeNow();
  const known = outboxes.get(scope);
  if (known) return known;
  const name = `chat.${chatId}.outbox`;
  // After signing out nothing of the person is stored or sent again.
  const isOwn = () => scope === scopeNow() && outboxes.get(scope) === outbox;
  const outbox: Outbox = createOutbox({
    load: () => storedDraft<Outgoing[]>(name),
    store: (all) => (isOwn() ? storeDraft(name, all) : undefined),
    isOwn,
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
  outboxes.set(scope, outbox);
  return outbox;
}

/** The messages of a chat that are on their way, and what can be done with them. */
export function useOutbox(workspaceId: string, chatId: string): { outbox: Outbox; outgoing: readonly Outgoing[] } {
  const outbox = outboxOf(workspaceId, chatId);
  return { outbox, outgoing: useSyncExternalStore(outbox.subscribe, outbox.view) };
}
