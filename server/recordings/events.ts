import type { Logger } from 'pino';
import { type RecordingEvent, recordingsChannel } from '../../domain/captures/recording.ts';
import { accessChannel } from '../../domain/live.ts';
import type { PgListener } from '../pubsub/listener.ts';
import { type Instant, msSince, now } from './times.ts';

/** Notifications about recordings, from all processes. */
export interface RecordingEvents {
  /** Resolves when the connection `holder` has released its recording, or after `ms`. */
  released(holder: string, ms: number): Promise<void>;
  close(): void;
}

/** Longer than any connection waits for another. */
const releasedTtlMs = 60_000;

/**
 * Subscribes; `renewNow` is called with the recording that changed, or without one when notifications may be missed.
 */
export function listenForEvents(
  pgListener: PgListener,
  renewNow: (recordingId?: string) => void,
  log: Logger,
): RecordingEvents {
  const released = new Map<string, Instant>();
  const waiting = new Map<string, () => void>();

  const onReleased = (holder: string) => {
    for (const [each, since] of released) if (msSince(since) > releasedTtlMs) released.delete(each);
    released.set(holder, now());
    waiting.get(holder)?.();
  };
  const onNotification = (payload: string) => {
    let event: RecordingEvent;
    try {
      event = JSON.parse(payload);
    } catch {
      return log.debug('ignored a notification with an unknown payload');
    }
    if (event.letGo !== undefined) return onReleased(event.letGo);
    return renewNow(event.recordingId);
  };
  const unsubscribes = [
    pgListener.listen(recordingsChannel, { onNotification, onReconnect: () => renewNow() }),
    // Renewals are of all recordings of the process together, and find out whose person was removed.
    pgListener.listen(accessChannel, { onNotification: () => renewNow() }),
  ];
  return {
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
    released: async (holder, ms) => {
      if (released.has(holder)) return;
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
