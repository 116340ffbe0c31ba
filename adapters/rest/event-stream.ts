import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** What every event of a stream has. */
interface StreamedEvent {
  event: string;
  id?: number;
  data: unknown;
}

/** Interval of comments that keep proxies from closing an idle connection. */
const heartbeatMs = 15_000;
const heartbeat = Buffer.from(':\n\n');

/** Delay in ms before a client reconnects after the stream broke. */
const opening = Buffer.from('retry: 2000\n\n');

/** The headers of a stream; the last one keeps reverse proxies from collecting it (nginx). */
export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** The text of events, by the event: one that many streams send is serialized once. */
const texts = new WeakMap<StreamedEvent, Buffer>();

/** An event as server-sent events have it (WHATWG HTML §9.2). JSON has no line breaks of its own. */
function textOf(streamed: StreamedEvent): Buffer {
  const known = texts.get(streamed);
  if (known) return known;
  const { event, id, data } = streamed;
  const resumable = id === undefined ? '' : `id: ${id}\n`;
  const text = `event: ${event}\n${resumable}data: ${JSON.stringify(data)}\n\n`;
  // `Buffer.from` would cut a small one from a slab of 64 KiB, which stays as long as it does.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  texts.set(streamed, bytes);
  return bytes;
}

/**
 * The interval is divided into so many parts: the streams of one part get their heartbeat together, so that thousands
 * of streams do not get it at once.
 */
const parts = 60;

/** Sends the heartbeats of many streams, with one timer for all of them. */
export class Heartbeats {
  readonly #streams = Array.from({ length: parts }, () => new Set<Writable>());
  #timer: NodeJS.Timeout | undefined;
  #now = 0;
  #next = 0;
  #count = 0;

  /** Sends heartbeats until the returned function is called. */
  start(body: Writable): () => void {
    const part = this.#streams[this.#next++ % parts];
    part?.add(body);
    this.#count++;
    this.#timer ??= setInterval(() => this.#beat(), heartbeatMs / parts);
    return () => {
      if (!part?.delete(body)) return;
      if (--this.#count > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #beat(): void {
    for (const body of this.#streams[this.#now++ % parts] ?? []) {
      if (!body.destroyed && !body.writableEnded && !body.writableNeedDrain) body.write(heartbeat);
    }
  }
}

const heartbeatsOfAll = new Heartbeats();

/** Resolves when `body` takes more, and when it is closed. */
function drained(body: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      body.off('drain', settle).off('close', settle);
      resolve();
    };
    body.on('drain', settle).on('close', settle);
  });
}

/**
 * Writes a stream of events to `body` and ends it. Events are pulled as fast as the client reads. `events` must end by
 * itself when the client has disconnected: a generator that waits for its next event cannot be stopped from outside.
 * @throws whatever `events` throws.
 */
export async function writeEvents(
  body: Writable,
  events: AsyncIterable<unknown>,
  heartbeats = heartbeatsOfAll,
): Promise<void> {
  const stopHeartbeats = heartbeats.start(body);
  try {
    body.write(opening);
    for await (const each of events) {
      if (body.destroyed) return;
      if (!body.write(textOf(each as StreamedEvent))) await drained(body);
    }
    body.end();
  } finally {
    stopHeartbeats();
  }
}

/**
 * Sends a stream of events as the answer, with the headers of `reply`. It is written to the response itself, because a
 * process has thousands of streams: what Fastify and Node put around a stream takes as much memory as the connection. A
 * client that reads nothing is disconnected, also after the last event.
 */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<unknown>): void {
  reply.hijack();
  const { raw, log, statusCode } = reply;
  raw.writeHead(statusCode, reply.getHeaders() as Record<string, string>);
  writeEvents(raw, events).catch((error: unknown) => {
    log.error({ err: error }, 'stream failed');
    raw.destroy();
  });
}
