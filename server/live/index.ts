import type { Logger } from 'pino';
import { v4 as newNonce } from 'uuid';
import { type Live, type LiveEvent, liveChannel } from '../../routers/live.ts';
import { type Delta, deltaPayloads } from './deltas.ts';
import type { Line } from './line.ts';

/** News of chats, and what the workers need to tell them. */
export interface LiveNews extends Live {
  /**
   * Tells provisional text of the message that will have `sequence`, in the order of the calls. Nothing is sent when
   * nobody follows the chat, and what is sent may be lost: it never waits and never throws.
   */
  sendDelta(delta: Delta): void;
  readonly subscribers: number;
  close(): void;
}

interface Subscriber {
  listener: (event: LiveEvent) => void;
  closely: boolean;
  /** It has not heard yet that all processes know of it. */
  unconfirmed: boolean;
}

/** Said every `repeatMs` for all chats that somebody on this process follows. */
interface Follow {
  kind: 'follow';
  chatIds: string[];
  /** The process that says it. */
  from: string;
}

const repeatMs = 10_000;
const rememberMs = 25_000;
/** A payload holds 7,999 bytes; an id takes 39. */
const idsPerPayload = 150;

export function openLive(line: Line, log: Logger): LiveNews {
  const chats = new Map<string, Set<Subscriber>>();
  const followed = new Map<string, number>();
  const me = newNonce();
  let subscribers = 0;

  const tell = (subscriber: Subscriber, event: LiveEvent) => {
    try {
      subscriber.listener(event);
    } catch (error) {
      log.error({ err: error }, 'a follower of a chat failed');
    }
  };
  const say = (payload: string) => {
    line.say(liveChannel, payload).catch((error: unknown) => log.debug({ err: error }, 'could not say it on the line'));
  };
  const follow = (chatIds: string[]) => {
    for (let from = 0; from < chatIds.length; from += idsPerPayload) {
      const said: Follow = { kind: 'follow', chatIds: chatIds.slice(from, from + idsPerPayload), from: me };
      say(JSON.stringify(said));
    }
  };
  const closelyFollowed = () => [...chats].filter(([, each]) => [...each].some((one) => one.closely)).map(([id]) => id);

  const hearFollow = ({ chatIds, from }: Follow) => {
    const until = Date.now() + rememberMs;
    for (const chatId of chatIds) {
      followed.set(chatId, until);
      if (from !== me) continue;
      for (const subscriber of [...(chats.get(chatId) ?? [])]) {
        if (!subscriber.unconfirmed) continue;
        subscriber.unconfirmed = false;
        tell(subscriber, { kind: 'resync' });
      }
    }
  };
  const hear = (payload: string) => {
    let event: Exclude<LiveEvent, { kind: 'resync' }> | Follow;
    try {
      event = JSON.parse(payload);
    } catch {
      return log.debug('heard something on the line that is not ours');
    }
    if (event.kind === 'follow') return hearFollow(event);
    for (const subscriber of [...(chats.get(event.chatId) ?? [])]) {
      if (subscriber.closely || event.kind === 'status' || event.kind === 'verdict') tell(subscriber, event);
    }
  };
  const onReturn = () => {
    follow(closelyFollowed());
    for (const subscriber of [...chats.values()].flatMap((each) => [...each])) tell(subscriber, { kind: 'resync' });
  };
  const deafen = line.hear(liveChannel, { onNotice: hear, onReturn });
  const repeating = setInterval(() => {
    follow(closelyFollowed());
    for (const [chatId, until] of followed) if (until < Date.now()) followed.delete(chatId);
  }, repeatMs);
  repeating.unref();

  const subscribe: Live['subscribe'] = (chatId, listener, closely = false) => {
    const subscriber: Subscriber = { listener, closely, unconfirmed: closely };
    const those = chats.get(chatId) ?? new Set();
    chats.set(chatId, those.add(subscriber));
    subscribers++;
    if (closely) follow([chatId]);
    return () => {
      if (!those.delete(subscriber)) return;
      subscribers--;
      if (those.size === 0 && chats.get(chatId) === those) chats.delete(chatId);
    };
  };
  const isFollowed = (chatId: string) =>
    (followed.get(chatId) ?? 0) > Date.now() || [...(chats.get(chatId) ?? [])].some((one) => one.closely);

  return {
    subscribe,
    isFollowed,
    sendDelta: (delta) => {
      if (!isFollowed(delta.chatId)) return;
      for (const payload of deltaPayloads(delta)) say(payload);
    },
    get subscribers() {
      return subscribers;
    },
    close: () => {
      deafen();
      clearInterval(repeating);
      chats.clear();
    },
  };
}
