import type { Logger } from 'pino';
import { v4 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import {
  type AccessChange,
  type Accessor,
  accessChannel,
  concerns,
  type Live,
  type LiveEvent,
  liveChannel,
} from '../../domain/live.ts';
import { type Delta, deltaPayloads } from './deltas.ts';
import type { PgListener } from './listener.ts';

/** Events of chats, with what the workers need to send provisional text. */
export interface LiveChannel extends Live {
  /**
   * Sends provisional text of the message that will have `sequence`, in the order of the calls. Nothing is sent when
   * nobody follows the chat, and what is sent may be lost: it returns at once and never throws.
   */
  sendDelta(delta: Delta): void;
  readonly subscribers: number;
  close(): void;
}

interface Subscriber {
  listener: (event: LiveEvent) => void;
  closely: boolean;
  accessor: Accessor | undefined;
  /** Its follow notice has not come back yet: other processes may not send it deltas. */
  unconfirmed: boolean;
}

/** Sent at `followIntervalMs` for all chats that somebody on this process follows. */
interface FollowNotice {
  kind: 'follow';
  chatIds: string[];
  /** The process that sent it. */
  from: string;
}

const followIntervalMs = 10_000;
const followTtlMs = 25_000;
/** A payload has at most 7,999 bytes; an id takes 39. */
const idsPerPayload = 150;

/** Distributes the events of chats among the subscribers of this process. */
export function openLive(pgListener: PgListener, db: Pick<Db, 'notify'>, log: Logger): LiveChannel {
  const chats = new Map<string, Set<Subscriber>>();
  const followed = new Map<string, number>();
  const processId = newId();
  let subscribers = 0;

  const emit = (subscriber: Subscriber, event: LiveEvent) => {
    try {
      subscriber.listener(event);
    } catch (error) {
      log.error({ err: error }, 'chat subscriber failed');
    }
  };
  const notify = (payload: string) => db.notify(liveChannel, payload);
  const follow = (chatIds: string[]) => {
    for (let at = 0; at < chatIds.length; at += idsPerPayload) {
      const notice: FollowNotice = { kind: 'follow', chatIds: chatIds.slice(at, at + idsPerPayload), from: processId };
      notify(JSON.stringify(notice));
    }
  };
  const closelyFollowed = () => [...chats].filter(([, each]) => [...each].some((one) => one.closely)).map(([id]) => id);

  const onFollow = ({ chatIds, from }: FollowNotice) => {
    const until = Date.now() + followTtlMs;
    for (const chatId of chatIds) {
      followed.set(chatId, until);
      if (from !== processId) continue;
      for (const subscriber of [...(chats.get(chatId) ?? [])]) {
        if (!subscriber.unconfirmed) continue;
        subscriber.unconfirmed = false;
        emit(subscriber, { kind: 'resync' });
      }
    }
  };
  const parsed = <Message>(payload: string): Message | undefined => {
    try {
      return JSON.parse(payload);
    } catch {
      log.debug('ignored a notification with an unknown payload');
      return undefined;
    }
  };
  const everybody = () => [...chats.values()].flatMap((each) => [...each]);
  const onAccess = (payload: string) => {
    const change = parsed<AccessChange>(payload);
    if (!change) return;
    for (const subscriber of everybody()) {
      if (subscriber.accessor && concerns(change, subscriber.accessor)) emit(subscriber, { kind: 'access', ...change });
    }
  };
  const onNotification = (payload: string) => {
    const event = parsed<Exclude<LiveEvent, { kind: 'resync' | 'access' }> | FollowNotice>(payload);
    if (!event) return;
    if (event.kind === 'follow') return onFollow(event);
    for (const subscriber of [...(chats.get(event.chatId) ?? [])]) {
      if (subscriber.closely || event.kind === 'status' || event.kind === 'verdict') emit(subscriber, event);
    }
  };
  const onReconnect = () => {
    follow(closelyFollowed());
    for (const subscriber of everybody()) emit(subscriber, { kind: 'resync' });
  };
  const unsubscribes = [
    pgListener.listen(liveChannel, { onNotification, onReconnect }),
    pgListener.listen(accessChannel, { onNotification: onAccess }),
  ];
  const following = setInterval(() => {
    follow(closelyFollowed());
    for (const [chatId, until] of followed) if (until < Date.now()) followed.delete(chatId);
  }, followIntervalMs);
  following.unref();

  const subscribe: Live['subscribe'] = (chatId, listener, closely = false, accessor = undefined) => {
    const subscriber: Subscriber = { listener, closely, accessor, unconfirmed: closely };
    const subscribed = chats.get(chatId) ?? new Set();
    chats.set(chatId, subscribed.add(subscriber));
    subscribers++;
    if (closely) follow([chatId]);
    return () => {
      if (!subscribed.delete(subscriber)) return;
      subscribers--;
      if (subscribed.size === 0 && chats.get(chatId) === subscribed) chats.delete(chatId);
    };
  };
  const isFollowed = (chatId: string) =>
    (followed.get(chatId) ?? 0) > Date.now() || [...(chats.get(chatId) ?? [])].some((one) => one.closely);

  return {
    subscribe,
    isFollowed,
    sendDelta: (delta) => {
      if (!isFollowed(delta.chatId)) return;
      for (const payload of deltaPayloads(delta)) notify(payload);
    },
    get subscribers() {
      return subscribers;
    },
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
      clearInterval(following);
      chats.clear();
    },
  };
}
