import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { connect, pause } from './connection.ts';
import { isTandemError, toTandemError } from './errors.ts';
import type { ChatEvent, TandemClient } from './types.ts';

interface FollowOptions {
  /** Sequence of the last known message. */
  afterSequence?: number;
  signal?: AbortSignal;
}

/** Consecutive connections without a new event. */
const maxTries = 8;
/** A connection that lasted this long was no failure: one without events is closed, because it could be lost. */
const stableMs = 10_000;

/**
 * The events of a chat after the message `afterSequence`, until its agent stops; `done` is the last one. A lost
 * connection is resumed; no message is repeated or missed.
 * @throws TandemError when the chat is gone or may not be read; the signal's reason when it aborts.
 */
export async function* followChat(
  client: TandemClient,
  chatId: string,
  { afterSequence = 0, signal }: FollowOptions = {},
): AsyncGenerator<ChatEvent> {
  let [last, status, tries] = [afterSequence, '', 0];
  for (;;) {
    signal?.throwIfAborted();
    let failure: unknown;
    let openedAt = 0;
    try {
      for await (const event of connect(
        (within) => client.chats.stream.query({ chatId, afterSequence: last }, { signal: within }),
        signal,
      )) {
        openedAt ||= Date.now();
        if (event.event === 'message') last = event.id;
        if (event.event === 'status') {
          if (event.data.status === status) continue;
          status = event.data.status;
        }
        tries = 0;
        yield event;
        if (event.event === 'done') return;
      }
    } catch (error) {
      failure = toTandemError(error as TRPCClientError<AppRouter>);
    }
    signal?.throwIfAborted();
    tries = openedAt && Date.now() - openedAt >= stableMs ? 1 : tries + 1;
    if (isTandemError(failure) && !failure.retryable) throw failure;
    if (tries > maxTries) throw failure ?? new Error('The stream of the chat was lost repeatedly. Try again later.');
    await pause(Math.min(250 * 2 ** tries, 5000), signal);
  }
}
