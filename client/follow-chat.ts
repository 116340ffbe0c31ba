import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { isTandemError, toTandemError } from './errors.ts';
import type { ChatEvent, TandemClient } from './types.ts';

interface FollowOptions {
  /** Messages up to this one are known already. */
  afterSequence?: number;
  signal?: AbortSignal;
}

/** A stream that is silent for so long may be dead, and is opened anew. */
const silenceMs = 45_000;
/** Connections in a row that bring nothing new. */
const mostTries = 8;

/** Resolves after `ms`, and at once when `signal` aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}

/** The events of one connection. @throws TRPCClientError when it breaks or cannot be opened. */
async function* connect(
  client: TandemClient,
  chatId: string,
  afterSequence: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  try {
    listen();
    for await (const event of await client.chats.stream.query({ chatId, afterSequence }, { signal: either })) {
      listen();
      yield event;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/**
 * What happens in a chat after the message `afterSequence`, until its agent stops: `done` comes last. A lost connection
 * is taken up where it broke; no message comes twice or is missed.
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
    try {
      for await (const event of connect(client, chatId, last, signal)) {
        if (event.event === 'message') last = event.id;
        if (event.event === 'status' && event.data.status === status) continue;
        if (event.event === 'status') status = event.data.status;
        tries = 0;
        yield event;
        if (event.event === 'done') return;
      }
    } catch (error) {
      failure = toTandemError(error as TRPCClientError<AppRouter>);
    }
    signal?.throwIfAborted();
    tries++;
    if (isTandemError(failure) && !failure.retryable) throw failure;
    if (tries > mostTries) throw failure ?? new Error('The stream of the chat ends again and again. Try later.');
    await pause(Math.min(250 * 2 ** tries, 5000), signal);
  }
}
