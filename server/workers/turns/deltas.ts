import type { LiveChannel } from '../../pubsub/live.ts';

/** Sends provisional text to the followers of a chat, a few times a second. */
export interface Deltas {
  add(text: string): void;
  /** Takes back all that was sent: the answer starts again. */
  restart(): void;
  /** Sends what is left, and nothing after that. */
  end(): void;
}

const everyMs = 100;

/**
 * Makes the `Deltas` of one answer: the message that will have `sequence`. Nothing is sent while the chat has no
 * followers.
 */
export function deltaSender(live: LiveChannel) {
  return (chatId: string, sequence: number): Deltas => {
    let waiting = '';
    let sent = 0;
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      const text = waiting;
      const offset = sent;
      waiting = '';
      sent += text.length;
      if (text === '' || !live.isFollowed(chatId)) return;
      live.sendDelta({ chatId, sequence, offset, text });
    };
    return {
      add: (text) => {
        waiting += text;
        timer ??= setTimeout(send, everyMs);
      },
      restart: () => {
        waiting = '';
        sent = 0;
      },
      end: send,
    };
  };
}
