import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatAnswer, ChatEventAnswer } from '../../domain/chats/shapes.ts';
import type { Catalogue, CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { readEvents } from '../service/events.ts';

export type ChatEvent = ChatEventAnswer;
export type ChatStatus = ChatAnswer['status'];

/** A stream without any bytes for this long is closed; the service sends a heartbeat every 15 s. */
const idleTimeoutMs = 45_000;
/** Consecutive connections without an event that is new. */
const maxTries = 8;
/** A connection that lasted this long was no failure. */
const stableMs = 10_000;

/** The operation that streams a chat. @throws CliFailure when the client was built for a service without one. */
function streamOf({ operations }: Catalogue): CatalogueOperation {
  const operation = operations.find(
    ({ streams, pathFields }) => streams && pathFields.length === 1 && pathFields[0]?.name === 'chatId',
  );
  if (operation) return operation;
  throw new CliFailure(exitCodes.failed, 'This client was built for a service that does not stream chats.');
}

/** The bytes of a stream; aborts `broken` when none arrive in time. */
async function* withIdleTimeout(body: ReadableStream<Uint8Array>, broken: AbortController): AsyncGenerator<Uint8Array> {
  const expire = () => broken.abort(new Error('stream idle timeout'));
  let timer = setTimeout(expire, idleTimeoutMs);
  try {
    for await (const bytes of body) {
      clearTimeout(timer);
      timer = setTimeout(expire, idleTimeoutMs);
      yield bytes;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The events of a chat after a message, until its agent stops. After a lost connection it resumes where it stopped: no
 * message is repeated or missed. Returns without `done` when `stop` aborts. @throws CliFailure when it cannot resume.
 */
export async function* followChat(
  calls: Calls,
  catalogue: Catalogue,
  { chatId, after }: { chatId: string; after: number },
  stop: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const operation = streamOf(catalogue);
  let last = String(after);
  let [tries, status] = [0, ''];
  // Before the first response, an unreachable service is probably a wrong address.
  let wasConnected = false;
  while (!stop.aborted) {
    const broken = new AbortController();
    let openedAt = 0;
    try {
      const signal = AbortSignal.any([stop, broken.signal]);
      const response = await calls.open(operation, { path: { chatId } }, signal, last);
      wasConnected = true;
      for await (const { event, id, data } of readEvents(
        withIdleTimeout(response.body ?? new ReadableStream(), broken),
      )) {
        if (id !== '') last = id;
        openedAt ||= Date.now();
        const received = { event, ...(event === 'message' && { id: Number(id) }), data: JSON.parse(data) } as ChatEvent;
        // Every connection begins with the status.
        if (received.event === 'status' && received.data.status === status) continue;
        if (received.event === 'status') status = received.data.status;
        tries = 0;
        yield received;
        if (received.event === 'done') return;
      }
    } catch (error) {
      if (stop.aborted) return;
      const isUnreachable = error instanceof CliFailure && error.exitCode === exitCodes.unreachable;
      if (error instanceof CliFailure && !(isUnreachable && wasConnected)) throw error;
    }
    tries = openedAt && Date.now() - openedAt >= stableMs ? 1 : tries + 1;
    if (tries > maxTries) throw new CliFailure(exitCodes.unreachable, 'The connection was lost repeatedly.');
    await sleep(Math.min(250 * 2 ** tries, 5000), undefined, { signal: stop }).catch(() => {});
  }
}
