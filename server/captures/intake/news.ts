import type { Logger } from 'pino';
import { type RecordingNews, recordingsChannel } from '../../../routers/captures/recording-news.ts';
import type { Line } from '../../live/line.ts';
import { type Moment, moment, msSince } from './moment.ts';

/** What the processes tell each other of recordings. */
export interface News {
  /** Resolves when the connection has let go of its recording, or after `ms`. */
  letGo(holder: string, ms: number): Promise<void>;
  close(): void;
}

/** Longer than anybody waits. */
const rememberMs = 60_000;

/** Listens on the line; `look` is to see to a recording, or to all of them when anything may have been missed. */
export function hearNews(line: Line, look: (recordingId?: string) => void, log: Logger): News {
  const gone = new Map<string, Moment>();
  const waiting = new Map<string, () => void>();

  const hearLetGo = (holder: string) => {
    for (const [each, since] of gone) if (msSince(since) > rememberMs) gone.delete(each);
    gone.set(holder, moment());
    waiting.get(holder)?.();
  };
  const onNotice = (payload: string) => {
    let news: RecordingNews;
    try {
      news = JSON.parse(payload);
    } catch {
      return log.debug('heard something on the line that is not ours');
    }
    if (news.letGo !== undefined) return hearLetGo(news.letGo);
    return look(news.recordingId);
  };
  const close = line.hear(recordingsChannel, { onNotice, onReturn: () => look() });
  return {
    close,
    letGo: async (holder, ms) => {
      if (gone.has(holder)) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        waiting.set(holder, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      waiting.delete(holder);
    },
  };
}
