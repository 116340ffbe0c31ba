import type { QueryState } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { problemOf } from './problem.ts';

/* Whether changes of others come to this window as events (live/), for whatever would poll otherwise. */

/** `off`: not followed yet, or the window is hidden. `live`: every change comes. `paused`: the stream is lost. */
export type LiveState = 'off' | 'live' | 'paused';

let current: LiveState = 'off';
const listeners = new Set<() => void>();

/** Sets the state, and returns whether it is another one. */
export function setLiveState(next: LiveState): boolean {
  if (next === current) return false;
  current = next;
  for (const listener of [...listeners]) listener();
  return true;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The state of the live updates of this window. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => current);
}

/** What an interval depends on. */
export interface Polled {
  state: Pick<
    QueryState<unknown, unknown>,
    'status' | 'error' | 'errorUpdatedAt' | 'errorUpdateCount' | 'dataUpdatedAt'
  >;
}

/** A query that fails is repeated this often at least. */
const maxPauseMs = 60_000;

/**
 * When to repeat a read that failed, in milliseconds: less and less often, up to a minute, and never sooner than the
 * service asks (`Retry-After`). The jitter depends on the failure only, because TanStack Query restarts an interval
 * whose value changes.
 */
function pauseAfterFailure({ state }: Polled, ms: number): number {
  const { dataUpdatedAt, errorUpdatedAt, errorUpdateCount } = state;
  const failingMs = dataUpdatedAt === 0 ? ms * 2 ** errorUpdateCount : errorUpdatedAt - dataUpdatedAt;
  const askedMs = (problemOf(state.error).retryAfterSeconds ?? 0) * 1000;
  return Math.max(ms, askedMs, Math.min(failingMs, maxPauseMs)) * jitterOf(errorUpdatedAt);
}

const jitterOf = (instant: number) => 1 + (instant % 1000) / 4000;

const firstPauseMs = 2_000;

/**
 * The growing pause after a read that failed, in milliseconds, where it is shown: as long as the shortest of the pauses
 * above, or shorter where there is data of long ago.
 */
export function pauseShown(query: Polled): number {
  const { errorUpdatedAt, errorUpdateCount } = query.state;
  return Math.min(
    pauseAfterFailure(query, firstPauseMs),
    firstPauseMs * 2 ** errorUpdateCount * jitterOf(errorUpdatedAt),
  );
}

/**
 * `refetchInterval` of every other query: `false`, unless the last read failed for a reason that passes. Then it is
 * repeated, so that a page recovers by itself.
 */
export function repeatFailed(query: Polled): number | false {
  const isPassing = query.state.status === 'error' && problemOf(query.state.error).retryable;
  return isPassing && pauseAfterFailure(query, firstPauseMs);
}

/**
 * `refetchInterval` of a query that events concern (live/concerns.ts): `false` while events arrive, else `ms`. While
 * its reads fail it is repeated less often, also while events arrive, because no event says that a read works again.
 */
export function pollUnlessLive(query: Polled, ms: number): number | false {
  return current === 'live' ? repeatFailed(query) : pollAlways(query, ms);
}

/** `refetchInterval` of a query that no events concern: `ms`, or less often while its reads fail. */
export function pollAlways(query: Polled, ms: number): number {
  return query.state.status === 'error' ? pauseAfterFailure(query, ms) : ms;
}

/** The age in ms above which data is read again when it is shown anew: before the first page is shown, and after it. */
const freshMs = { starting: 60_000, started: 5_000 };
let isStarted = false;

/** Called once the first page is shown and its window is idle. */
export function noteStarted(): void {
  isStarted = true;
}

/**
 * `staleTime` of a query that names none. Data of the first page does not get old before it is shown: a slow device
 * would read everything twice.
 */
export function staleMs(): number {
  return isStarted ? freshMs.started : freshMs.starting;
}
