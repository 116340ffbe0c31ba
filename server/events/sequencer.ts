import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import { numberEvents, numberMany } from '../../domain/events/number.ts';
import { deleteNumbered } from '../../domain/events/number-citus.ts';
import { hasQueuedEvents, type LargeQueue, type Numbered } from '../../domain/events/queue.ts';
import { onRecording } from '../../domain/events/record.ts';
import type { Measure } from '../runtime/metrics.ts';
import { startPoller } from '../runtime/poller.ts';
import { throttledWarning } from '../runtime/throttled-warning.ts';

/**
 * Pause in milliseconds after a batch: the short one while this process records events, the long one while it does not.
 * In the latter case it looks for events of processes that ended before they numbered them.
 */
const busyMs = 50;
const recordingMs = 200;
const idleMs = 1000;
/**
 * The pause after a batch of that many events: each batch costs about as much as they do, and readers are promised a
 * delay of at most a quarter of a second.
 */
const manyMs = 150;
const many = 30;
/**
 * After so many milliseconds a transaction that records an event is over, or so slow that nobody expects the event
 * soon.
 */
const transactionMs = 10_000;

/** Numbers the events of all workspaces. Every process has one; whichever comes first does the work. */
export interface Sequencer {
  readonly measures: Measure[];
  /** An event was committed: no need to wait for the next poll. */
  wake(): void;
  /** Resolves when the batches in progress have ended. */
  stop(): Promise<void>;
}

/**
 * Starts numbering. It polls instead of listening: a NOTIFY in each transaction that writes would make all of them
 * commit one after another, because PostgreSQL takes one lock of the whole cluster for it. A process polls often while
 * it records events itself, and seldom otherwise, so that an idle process costs next to nothing.
 */
export function startSequencer(db: Pick<Database, 'for'>, log: Logger): Sequencer {
  const events = db.for('events');
  const warn = throttledWarning(log);
  const failure = 'events not numbered, will retry';
  let next: Numbered['next'] | undefined;
  let oldest: string | null = null;
  let isBusy = false;
  let isExpected = false;
  let isPausing = false;
  let recordedAt = Number.NEGATIVE_INFINITY;
  const isRecording = () => performance.now() - recordedAt < transactionMs;
  let large: Promise<unknown> | undefined;
  // A large queue takes time: beside the others, and on a connection that has that time.
  const startLarge = (queue: LargeQueue) => {
    large ??= numberMany(db.for('maintenance'), queue)
      .catch((error: unknown) => warn(error, failure))
      .finally(() => {
        large = undefined;
      });
  };
  let deleting: Promise<unknown> | undefined;
  // Nobody waits for it; what comes meanwhile is found again.
  const startDeleting = (read: Parameters<typeof deleteNumbered>[1]) => {
    deleting ??= deleteNumbered(events, read)
      .catch((error: unknown) => warn(error, 'numbered events not deleted from the queue, will retry'))
      .finally(() => {
        deleting = undefined;
      });
  };
  const numberSome = async () => {
    // On Citus a batch begins with a look.
    const looksFirst = events.engine !== 'citus' && !isBusy && !isExpected && next === undefined;
    const wasExpected = isExpected;
    isExpected = false;
    isPausing = false;
    if (looksFirst && !(await hasQueuedEvents(events))) {
      oldest = null;
      return isRecording() ? recordingMs : idleMs;
    }
    isPausing = true;
    const numbered = await numberEvents(events, next);
    next = numbered.hasMore ? numbered.next : undefined;
    oldest = numbered.oldest;
    isBusy = numbered.oldest !== null;
    if (numbered.large) startLarge(numbered.large);
    if (numbered.read && numbered.read.length > 0) startDeleting(numbered.read);
    if (numbered.hasMore) return 0;
    // What was expected may have been numbered by another process: each commit here would else cost a batch in vain.
    isPausing = isBusy || wasExpected || isExpected;
    if (!isPausing) return events.engine === 'citus' && !isRecording() ? idleMs : recordingMs;
    // There a batch asks all shards, and costs as much as many events do.
    return numbered.count < many && events.engine !== 'citus' ? busyMs : manyMs;
  };
  const poll = async () => {
    try {
      return await numberSome();
    } catch (error) {
      // What waits is not known: at least what comes from now on.
      oldest ??= new Date().toISOString();
      isPausing = true;
      throw error;
    }
  };
  const poller = startPoller(poll, failure, log);
  const stopListening = onRecording(() => {
    const wasRecording = isRecording();
    recordedAt = performance.now();
    if (!wasRecording) poller.wake();
  });
  return {
    measures: [
      {
        kind: 'gauge',
        name: 'tandem_event_lag_seconds',
        help: 'Age of the oldest committed event that had no number when this process last looked; the time since numbering fails',
        read: () => (oldest === null ? 0 : Math.max(0, (Date.now() - Date.parse(oldest)) / 1000)),
      },
    ],
    wake: () => {
      isExpected = true;
      if (!isPausing) poller.wake();
    },
    stop: async () => {
      stopListening();
      await poller.stop();
      await Promise.all([large, deleting]);
    },
  };
}
