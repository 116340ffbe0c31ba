import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatAnswer, ChatEventAnswer } from '../../domain/chats/shapes.ts';
import type { Catalogue, CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { readEvents, type StreamEvent } from '../service/events.ts';

export type ChatEvent = ChatEventAnswer;
export type ChatStatus = ChatAnswer['status'];

/** One event of a stream, its data parsed. */
export interface Received extends Omit<StreamEvent, 'data'> {
  data: unknown;
}

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
 * What a stream sends after `after`, with its data parsed. After a lost connection it resumes where it stopped: nothing
 * is repeated or missed. What is not `isNew` is left out: every connection begins with something known. It ends when
 * `stop` aborts. @throws CliFailure when it cannot resume.
 */
export async function* followStream(
  open: (signal: AbortSignal, after: string) => Promise<Response>,
  after: string,
  isNew: (received: Received) => boolean,
  stop: AbortSignal,
): AsyncGenerator<Received> {
  let [last, tries] = [after, 0];
  // Before the first response, an unreachable service is probably a wrong address.
  let wasConnected = false;
  while (!stop.aborted) {
    const broken = new AbortController();
    let openedAt = 0;
    try {
      const response = await open(AbortSignal.any([stop, broken.signal]), last);
      wasConnected = true;
      for await (const { event, id, data } of readEvents(
        withIdleTimeout(response.body ?? new ReadableStream(), broken),
      )) {
        if (id !== '') last = id;
        openedAt ||= Date.now();
        const received = { event, id, data: JSON.parse(data) };
        if (!isNew(received)) continue;
        tries = 0;
        yield received;
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

/**
 * The events of a chat after a message, until its agent stops. Returns without `done` when `stop` aborts.
 * @throws CliFailure when it cannot resume.
 */
export async function* followChat(
  calls: Calls,
  catalogue: Catalogue,
  { chatId, after }: { chatId: string; after: number },
  stop: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const operation = streamOf(catalogue);
  const open = (signal: AbortSignal, last: string) => calls.open(operation, { path: { chatId } }, signal, last);
  let status: unknown;
  // Every connection begins with the status.
  const isNew = ({ event, data }: Received) => {
    if (event !== 'status') return true;
    const before = status;
    status = (data as { status: ChatStatus }).status;
    return status !== before;
  };
  for await (const { event, id, data } of followStream(open, String(after), isNew, stop)) {
    const received = { event, ...(event === 'message' && { id: Number(id) }), data } as ChatEvent;
    yield received;
    if (received.event === 'done') return;
  }
}
