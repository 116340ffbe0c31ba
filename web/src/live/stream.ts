import type { TandemEvent } from 'tandem/client';
import { connect, pause } from '../../../client/connection.ts';
import { api } from '../api/client.ts';
import type { LiveState } from '../api/live-state.ts';
import { type Problem, problemOf } from '../api/problem.ts';

// The client reads streams with it (web/lean-packages.ts): the first list has none.
export { jsonlStreamConsumer } from '@trpc/server/unstable-core-do-not-import';

/* The stream of the events of a workspace, held by one window of a browser. */

/** After so many failures in a row the pages poll. */
const maxFailures = 3;
/** A connection that lasted this long was no failure. */
const stableMs = 1_000;
const firstPauseMs = 250;
const maxPauseMs = 60_000;

/** What the holder of a stream does. */
export interface StreamHolder {
  workspaceId: string;
  /** Whether the session of this browser is still that of the page; reads it again. */
  isSameSession(): Promise<boolean>;
  /** Takes the changes after the position `after`, up to `through`; there may be none. */
  onChanges(after: number, through: number, changes: readonly TandemEvent[]): void;
  /** What happened before `position` is not known: everything is read again. */
  onGap(position: number): void;
  onState(state: LiveState): void;
}

/** Whether the log cannot be continued from a position. */
function isLost({ reason = '' }: Problem): boolean {
  return reason === 'position_expired' || reason === 'position_unknown';
}

/** Resolves before the next connection: after a pause that grows with the failures, or when the browser is online. */
async function pauseBefore(failures: number, askedSeconds: number, signal: AbortSignal): Promise<void> {
  const online = new AbortController();
  const wake = () => online.abort();
  addEventListener('online', wake);
  const growing = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  await pause(askedSeconds * 1000 + growing, AbortSignal.any([signal, online.signal]));
  removeEventListener('online', wake);
}

/** One connection. It is closed when the browser goes offline: it would be silent otherwise. */
async function* connection(afterSequence: number, signal: AbortSignal) {
  const offline = new AbortController();
  const close = () => offline.abort();
  addEventListener('offline', close);
  const ended = AbortSignal.any([signal, offline.signal]);
  try {
    yield* connect((within) => api.events.stream.query({ afterSequence }, { signal: within }), ended);
  } finally {
    removeEventListener('offline', close);
  }
}

/**
 * Follows the log after the position `from` until `signal` aborts or the session is another one: no change is missed,
 * and none comes twice. Never throws.
 */
export async function holdStream(holder: StreamHolder, from: number | undefined, signal: AbortSignal): Promise<void> {
  const { workspaceId, isSameSession, onChanges, onGap, onState } = holder;
  let [last, failures] = [from, 0];
  while (!signal.aborted) {
    let problem: Problem | null = null;
    let openedAt = Number.POSITIVE_INFINITY;
    try {
      if (last === undefined) {
        last = (await api.events.latest.query({}, { signal })).sequence;
        onGap(last);
      }
      for await (const sent of connection(last, signal)) {
        if (signal.aborted) return;
        if (sent.event === 'change' && sent.data.workspaceId !== workspaceId) return void (await isSameSession());
        openedAt = Math.min(openedAt, Date.now());
        if (sent.event === 'change') failures = 0;
        onState('live');
        onChanges(last, sent.id, sent.event === 'change' ? [sent.data] : []);
        last = sent.id;
      }
    } catch (error) {
      problem = problemOf(error);
    }
    if (signal.aborted) return;
    if (problem && isLost(problem)) last = undefined;
    // The service ends a stream when its session ends or needs a second factor, and when the process stops.
    else if ([undefined, 401, 403].includes(problem?.status) && !(await isSameSession())) return;
    if (Date.now() - openedAt >= stableMs) failures = 0;
    failures++;
    if (failures >= maxFailures || !navigator.onLine) onState('paused');
    await pauseBefore(failures - 1, problem?.retryAfterSeconds ?? 0, signal);
  }
}
