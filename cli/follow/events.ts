import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatAnswer, ChatEventAnswer } from '../../routers/chats/shapes.ts';
import type { Catalogue, CatalogueOperation } from '../catalogue.ts';
import { CliFailure, exitCodes } from '../failure.ts';
import type { Calls } from '../service/calls.ts';
import { readEvents } from '../service/events.ts';

export type ChatEvent = ChatEventAnswer;
export type ChatStatus = ChatAnswer['status'];

/** A stream without a sign of life for so long is taken for broken; the service sends one every 15 s. */
const silenceMs = 45_000;
/** Tries in a row that bring nothing. */
const mostTries = 8;

/** The operation that streams a chat. @throws CliFailure when the client was built for a service without one. */
function streamOf({ operations }: Catalogue): CatalogueOperation {
  const operation = operations.find(
    ({ streams, pathFields }) => streams && pathFields.length === 1 && pathFields[0]?.name === 'chatId',
  );
  if (operation) return operation;
  throw new CliFailure(exitCodes.failed, 'This client was built for a service that does not stream chats.');
}

/** Bytes of a stream that is given up when nothing comes for too long. */
async function* watched(body: ReadableStream<Uint8Array>, broken: AbortController): AsyncGenerator<Uint8Array> {
  const give = () => broken.abort(new Error('nothing came for too long'));
  let timer = setTimeout(give, silenceMs);
  try {
    for await (const bytes of body) {
      clearTimeout(timer);
      timer = setTimeout(give, silenceMs);
      yield bytes;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What happens in a chat after a message, until its agent stops. A lost connection is taken up where it broke: no
 * message comes twice or is missed. Ends without `done` when `stop` does. @throws CliFailure when it cannot go on.
 */
export async function* followChat(
  calls: Calls,
  catalogue: Catalogue,
  { chatId, after }: { chatId: string; after: number },
  stop: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const operation = streamOf(catalogue);
  let last = String(after);
  let tries = 0;
  // A service that was there comes back; one that never answered is a wrong address.
  let heard = false;
  while (!stop.aborted) {
    const broken = new AbortController();
    try {
      const signal = AbortSignal.any([stop, broken.signal]);
      const response = await calls.open(operation, { path: { chatId } }, signal, last);
      heard = true;
      for await (const { event, id, data } of readEvents(watched(response.body ?? new ReadableStream(), broken))) {
        if (id !== '') last = id;
        tries = 0;
        const told = { event, ...(event === 'message' && { id: Number(id) }), data: JSON.parse(data) } as ChatEvent;
        yield told;
        if (told.event === 'done') return;
      }
    } catch (error) {
      if (stop.aborted) return;
      const isAway = error instanceof CliFailure && error.exitCode === exitCodes.unreachable;
      if (error instanceof CliFailure && !(isAway && heard)) throw error;
    }
    tries++;
    if (tries > mostTries) throw new CliFailure(exitCodes.unreachable, 'The connection breaks again and again.');
    await sleep(Math.min(250 * 2 ** tries, 5000), undefined, { signal: stop }).catch(() => {});
  }
}
