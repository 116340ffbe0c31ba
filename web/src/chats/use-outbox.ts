import { QueryObserver, type QueryObserverResult } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';
import { actingAs, actorId } from '../api/acting.ts';
import { api, problemOf } from '../api/client.ts';
import { pollUnlessLive, repeatFailed } from '../api/live-state.ts';
import { queryClient } from '../api/query-client.ts';
import { guardSession } from '../session/session.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { createOutbox, type Outbox, type Outgoing } from './outbox.ts';
import { type ChatStatus, chatQuery, isWorking, showStatus } from './queries.ts';

/* The outboxes of this window. What waits in one is sent also while the page of its chat is not open. */

interface Opened {
  outbox: Outbox;
  /** Follows the turn of the chat as long as something waits for it and the person is there. */
  follow(): void;
}

/** By person, workspace and chat. */
const opened = new Map<string, Opened>();
/** Those whose pages are open, and know what was received. */
const shown = new Set<Outbox>();
const watchers = new Set<() => void>();
/** How often a chat is read while something waits for its turn, in ms. */
const pollMs = 5_000;

/** Whether a chat cannot be read because it does not exist, in this workspace at least. */
export const isGone = (error: unknown) => error !== null && [400, 404].includes(problemOf(error).status);

function openedOf(workspaceId: string, chatId: string): Opened {
  const scope = `${actorId()}/${workspaceId} ${chatId}`;
  const known = opened.get(scope);
  if (known) return known;
  const name = `chat.${workspaceId}.${chatId}.outbox`;
  // After signing out nothing of the person is stored or sent again.
  const isOwn = () => scope === `${actingAs()['Tandem-Acting-As']} ${chatId}` && opened.get(scope)?.outbox === outbox;
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
  const follow = turnFollower(outbox, isOwn, workspaceId, chatId);
  outbox.subscribe(() => {
    follow();
    for (const changed of watchers) changed();
  });
  opened.set(scope, { outbox, follow });
  return { outbox, follow };
}

/** What follows the turn of a chat for its outbox, or ends that, each time it is called. */
function turnFollower(outbox: Outbox, isOwn: () => boolean, workspaceId: string, chatId: string): () => void {
  let end: (() => void) | undefined;
  let status: ChatStatus | undefined;
  const take = ({
    data,
    error,
  }: Pick<QueryObserverResult<{ chat: { status: ChatStatus; messageCount: number } }>, 'data' | 'error'>) => {
    if (!isOwn()) return follow();
    if (isGone(error)) return outbox.refuse(problemOf(error));
    if (!data) return;
    if (!shown.has(outbox)) outbox.received(data.chat.messageCount);
    if (data.chat.status === status) return;
    status = data.chat.status;
    outbox.turnIs({ isWorking: isWorking(status), hasEnded: status === 'completed' || status === 'failed' });
  };
  const follow = () => {
    const isNeeded = isOwn() && outbox.view().some(({ state }) => state !== 'refused');
    if (isNeeded === (end !== undefined)) return;
    end?.();
    end = undefined;
    if (!isNeeded) return;
    status = undefined;
    const observer = new QueryObserver(queryClient, {
      ...chatQuery(workspaceId, chatId),
      refetchInterval: (read) => {
        const known = read.state.data?.chat.status;
        if (known === undefined || isGone(read.state.error)) return repeatFailed(read);
        return isWorking(known) && read.state.status !== 'error' ? pollMs : pollUnlessLive(read, pollMs);
      },
      // A hidden window keeps its promise too.
      refetchIntervalInBackground: true,
    });
    end = observer.subscribe(take);
    take(observer.getCurrentResult());
  };
  return follow;
}

/** Opens the outboxes that this person has left in this window, also before a reload. */
function openStored(): void {
  let names: string[] = [];
  try {
    names = Object.keys(sessionStorage);
  } catch {
    // Storage is disabled: nothing was stored.
  }
  for (const name of names) {
    // As session/stored-drafts.ts names them.
    const [, userId, workspaceId, chatId] = /^tandem\.draft\.(.+)\.chat\.(.+)\.(.+)\.outbox$/.exec(name) ?? [];
    if (userId === actorId() && workspaceId && chatId) openedOf(workspaceId, chatId);
  }
}

/** Goes on with what this person has left in this workspace. */
export function resumeOutboxes(): void {
  openStored();
  for (const { follow } of [...opened.values()]) follow();
}

/** How many messages of this person are not sent, in all workspaces. */
export function unsentMessages(): number {
  openStored();
  const own = [...opened].filter(([scope]) => scope.startsWith(`${actorId()}/`));
  return own.flatMap(([, { outbox }]) => outbox.view()).filter(({ state }) => state !== 'sent').length;
}

/** A message of this window that is not sent. */
export interface UnsentMessage extends Pick<Outgoing, 'key' | 'text' | 'state' | 'problem'> {
  chatId: string;
}

function unsentIn(workspaceId: string): UnsentMessage[] {
  openStored();
  const own = `${actorId()}/${workspaceId} `;
  return [...opened].flatMap(([scope, { outbox }]) =>
    scope.startsWith(own)
      ? outbox.view().flatMap(({ key, text, state, problem }) => {
          const message = { key, text, state, problem, chatId: scope.slice(own.length) };
          return state === 'sent' ? [] : [message];
        })
      : [],
  );
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** The messages of this person that are not sent, of the chats of a workspace. */
export function useUnsentMessages(workspaceId: string): readonly UnsentMessage[] {
  // As JSON, which is the same as long as nothing has changed.
  return JSON.parse(useSyncExternalStore(watch, () => JSON.stringify(unsentIn(workspaceId))));
}

// They are stored for this window alone.
addEventListener('beforeunload', (event) => {
  if (unsentMessages() > 0) event.preventDefault();
});

// outbox/guard.ts asks before.
guardSession({
  check: () => {},
  clear: () => {
    const all = [...opened.values()];
    opened.clear();
    for (const { follow } of all) follow();
  },
});

/** The messages of a chat that are on their way, and what can be done with them. */
export function useOutbox(workspaceId: string, chatId: string): { outbox: Outbox; outgoing: readonly Outgoing[] } {
  const { outbox, follow } = openedOf(workspaceId, chatId);
  useEffect(() => {
    shown.add(outbox);
    follow();
    return () => void shown.delete(outbox);
  }, [outbox, follow]);
  return { outbox, outgoing: useSyncExternalStore(outbox.subscribe, outbox.view) };
}
