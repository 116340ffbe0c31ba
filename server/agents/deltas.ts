import type { LiveNews } from '../live/index.ts';

/** Passes provisional text on to whoever follows a chat, a few times a second. */
export interface Deltas {
  add(text: string): void;
  /** Sends what is left, and nothing after that. */
  end(): void;
}

const everyMs = 100;

/** Makes the `Deltas` of one answer: the message that will have `sequence`. Nothing is sent while nobody follows. */
export function deltaSender(live: LiveNews) {
  return (chatId: string, sequence: number): Deltas => {
    let waiting = '';
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      const text = waiting;
      waiting = '';
      if (text === '' || !live.isFollowed(chatId)) return;
      live.sendDelta(chatId, sequence, text);
    };
    return {
      add: (text) => {
        waiting += text;
        timer ??= setTimeout(send, everyMs);
      },
      end: send,
    };
  };
}
