import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { connect, pause } from './connection.ts';
import { isTandemError, type TandemError, toTandemError } from './errors.ts';
import type { TandemClient, TandemEvent, TandemInputs } from './types.ts';

type Filter = Omit<NonNullable<TandemInputs['events']['stream']>, 'afterSequence'>;

export interface FollowEventsOptions extends Filter {
  /** The position to continue from: the last one that `onPosition` was called with. Omitted: a snapshot comes first. */
  afterSequence?: number;
  /**
   * Called where there is no position to continue from: at first without `afterSequence`, and when later events are no
   * longer kept. Read what you show again, and return; what happens meanwhile follows. Without it, events follow from
   * now on, and a position that is no longer kept ends the iteration with its error.
   */
  onSnapshotNeeded?: (position: { sequence: number; error: TandemError | null }) => void | Promise<void>;
  /** Called when everything up to `sequence` was handed over and the next is asked for: store it to resume there. */
  onPosition?: (sequence: number) => void;
  signal?: AbortSignal;
}

const maxPauseMs = 30_000;

/** Pause in ms before connection number `tries`: it doubles, and varies so that clients do not return all at once. */
function pauseBefore(tries: number, error: unknown): number {
  const asked = isTandemError(error) ? (error.problem.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + Math.min(maxPauseMs, 250 * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
}

/** Whether the log cannot be continued from a position. */
function needsSnapshot(error: unknown): error is TandemError {
  return isTandemError(error) && ['position_expired', 'position_unknown'].includes(error.problem.reason ?? '');
}

/**
 * The events of the workspace, in order and without end: none is missed and none comes twice, however often the
 * connection is lost. It is resumed after a pause that grows with each failure in a row.
 * @throws TandemError when the events may not be read (any more), or their position is no longer kept and there is no
 * `onSnapshotNeeded`; the signal's reason when it aborts.
 */
export async function* followEvents(
  client: TandemClient,
  options: FollowEventsOptions = {},
): AsyncGenerator<TandemEvent> {
  const { afterSequence, onSnapshotNeeded, onPosition, signal, ...filter } = options;
  const query = { ...(signal && { signal }) };
  let [last, tries] = [afterSequence, 0];
  let expired: TandemError | null = null;
  for (;;) {
    let failure: unknown;
    const fail = (error: unknown) => {
      signal?.throwIfAborted();
      failure = toTandemError(error as TRPCClientError<AppRouter>);
      return undefined;
    };
    signal?.throwIfAborted();
    if (last === undefined) {
      // Read before the snapshot: whatever that does not show comes after this position.
      const position = await client.events.latest.query({}, query).catch(fail);
      if (position) {
        await onSnapshotNeeded?.({ sequence: position.sequence, error: expired });
        [last, expired] = [position.sequence, null];
        onPosition?.(last);
      }
    }
    if (last !== undefined) {
      const input = { ...filter, afterSequence: last };
      const stream = connect((within) => client.events.stream.query(input, { signal: within }), signal);
      try {
        for (let step = await stream.next().catch(fail); step && !step.done; step = await stream.next().catch(fail)) {
          const sent = step.value;
          tries = 0;
          if (sent.id < last || (sent.event === 'change' && sent.id === last)) continue;
          if (sent.event === 'change') yield sent.data;
          last = sent.id;
          onPosition?.(last);
        }
      } finally {
        await stream.return(undefined);
      }
    }
    signal?.throwIfAborted();
    if (needsSnapshot(failure) && onSnapshotNeeded) [last, expired] = [undefined, failure];
    else if (isTandemError(failure) && !failure.retryable) throw failure;
    else await pause(pauseBefore(tries, failure), signal);
    tries++;
  }
}
