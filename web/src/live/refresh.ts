import { focusManager, type Query, type QueryClient } from '@tanstack/react-query';
import type { TandemEvent } from 'tandem/client';
import { nextInOrder, writeOf } from '../api/answers.ts';
import { whenReadable } from '../api/held-reads.ts';
import { concerns, liveKinds, readsLog } from './concerns.ts';

/* Reads again what events make stale: soon, but not once for each of many events. */

/**
 * Events that arrive within this time, in ms, are one batch: those of one change, and the answer to a write of this
 * window.
 */
export const batchMs = 60;
/**
 * Between two reads of a query, in ms, for each request that one takes. It doubles with every eight reads that had to
 * wait for it: a change now and then is shown at once.
 */
export const spacingMs = 250;
const maxSpacingMs = 1_000;
/** A query is read for at most a quarter of the time. */
const idleShare = 3;

/** The last read of a query that was complete: not one of its next page alone. */
interface Reading {
  /** When it began, as `nextInOrder` numbers it. */
  place: number;
  /** When it began and ended, in ms. */
  began: number;
  ended: number;
  /** How many reads before it followed each other as closely as they may. */
  close: number;
}

const isReading = ({ state }: Query) => state.fetchStatus !== 'idle';
const isNextPage = ({ state }: Query) => state.fetchMeta?.fetchMore !== undefined;
const requestsOf = ({ state }: Query) => (state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;

const spacingOf = (query: Query, { close }: Reading) =>
  Math.min(maxSpacingMs, spacingMs * 2 ** Math.floor(close / 8)) * requestsOf(query);

/** The queries of a window, read again as events come. */
export class Refresher {
  readonly #queryClient: QueryClient;
  readonly #readings = new WeakMap<Query, Reading>();
  /** Queries that became stale during a read, which may not contain the change. */
  readonly #staleAfter = new Set<Query>();
  /** Queries that events made stale, of which no read has begun since. */
  readonly #owed = new Set<Query>();
  readonly #timers = new Map<Query, ReturnType<typeof setTimeout>>();
  readonly #unsubscribe: () => void;
  #batch: TandemEvent[] = [];
  #batchTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(queryClient: QueryClient) {
    this.#queryClient = queryClient;
    this.#unsubscribe = queryClient.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated') this.#note(query);
      if (type === 'removed') this.#forget(query);
    });
  }

  /** Takes events in their order. */
  take(events: readonly TandemEvent[]): void {
    if (events.length === 0) return;
    this.#batch.push(...events);
    this.#batchTimer ??= setTimeout(() => this.#settleBatch(), batchMs);
  }

  /** Reads everything again that events may concern: some were missed. */
  takeAll(): void {
    for (const query of this.#queryClient.getQueryCache().getAll()) {
      if (liveKinds.has(String(query.queryKey[0]))) this.#touch(query);
    }
  }

  close(): void {
    this.#unsubscribe();
    clearTimeout(this.#batchTimer);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #settleBatch(): void {
    const events = this.#batch;
    this.#batch = [];
    this.#batchTimer = undefined;
    // A write of this window may have several events; its answer names the last.
    const requests = new Map<string | null, number>();
    for (const { id, requestId } of events) {
      const place = writeOf(id);
      if (place !== undefined && requestId !== null) requests.set(requestId, place);
    }
    for (const query of this.#queryClient.getQueryCache().getAll()) {
      const readAt = this.#readings.get(query)?.place ?? 0;
      const isNew = ({ requestId }: TandemEvent) =>
        readsLog(query.queryKey) || readAt < (requests.get(requestId) ?? Number.POSITIVE_INFINITY);
      if (events.some((event) => isNew(event) && concerns(event, query.queryKey))) this.#touch(query);
    }
  }

  /** Notes when the reads of a query begin and end, whoever started them. */
  #note(query: Query): void {
    const reading = this.#readings.get(query);
    const isUnderWay = reading !== undefined && reading.ended < reading.began;
    if (isReading(query)) {
      if (isUnderWay || isNextPage(query)) return;
      this.#staleAfter.delete(query);
      this.#owed.delete(query);
      const began = Date.now();
      const isClose = reading !== undefined && began - reading.began < 1.5 * spacingOf(query, reading);
      const close = isClose ? reading.close + 1 : 0;
      this.#readings.set(query, { place: nextInOrder(), began, ended: Number.NEGATIVE_INFINITY, close });
      return;
    }
    // Data that is put into the cache by code, such as the answer to a write, counts as read but may not contain the
    // change.
    if (this.#owed.has(query)) query.invalidate();
    if (isUnderWay) reading.ended = Date.now();
    const isCancelled = isUnderWay && query.state.isInvalidated && query.state.status !== 'error';
    const isStale = this.#staleAfter.delete(query);
    if (!isStale && !isCancelled) return;
    // Whoever ended this read may begin another at once, which contains the change.
    queueMicrotask(() => this.#readings.get(query) === reading && this.#touch(query));
  }

  #forget(query: Query): void {
    this.#staleAfter.delete(query);
    this.#owed.delete(query);
    clearTimeout(this.#timers.get(query));
    this.#timers.delete(query);
  }

  /** Marks a query as stale, and reads it again if it is shown. */
  #touch(query: Query): void {
    if (isReading(query)) {
      this.#staleAfter.add(query);
      return;
    }
    this.#owed.add(query);
    query.invalidate();
    // What a hidden window has open is read when it is shown (refetchOnWindowFocus).
    if (!query.isActive() || !focusManager.isFocused() || this.#timers.has(query)) return;
    this.#timers.set(
      query,
      setTimeout(() => void this.#read(query), this.#pauseBefore(query)),
    );
  }

  #pauseBefore(query: Query): number {
    const reading = this.#readings.get(query);
    if (!reading) return 0;
    const { began, ended } = reading;
    return Math.max(0, Math.max(began + spacingOf(query, reading), ended + idleShare * (ended - began)) - Date.now());
  }

  async #read(query: Query): Promise<void> {
    this.#timers.delete(query);
    await whenReadable(this.#queryClient, String(query.queryKey[0]));
    if (!query.isActive() || !query.state.isInvalidated) return;
    await this.#queryClient.refetchQueries({ predicate: (each) => each === query }, { cancelRefetch: false });
  }
}
