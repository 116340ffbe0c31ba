import { PassThrough, pipeline, type Readable } from 'node:stream';

/** What every event of a stream has. */
interface StreamedEvent {
  event: string;
  id?: number;
  data: unknown;
}

/** A comment is sent this often, so that no proxy takes the connection for dead. */
const heartbeatMs = 15_000;
const heartbeat = ':\n\n';

/** How long a client waits before it comes back after the stream broke. */
const opening = 'retry: 2000\n\n';

/** The headers of a stream; the last one keeps reverse proxies from collecting it (nginx). */
export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
};

/** Events as server-sent events have them (WHATWG HTML §9.2). JSON has no line breaks of its own. */
async function* written(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const each of events) {
    const { event, id, data } = each as StreamedEvent;
    yield `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
  }
}

/**
 * The body of a response that streams events. Events are asked for as the client takes them. `events` must end by
 * itself when the client is gone: one that waits for its next event cannot be stopped from outside.
 */
export function eventStream(events: AsyncIterable<unknown>): Readable {
  const body = new PassThrough();
  body.write(opening);
  const beat = setInterval(() => {
    if (body.writable && !body.writableNeedDrain) body.write(heartbeat);
  }, heartbeatMs);
  pipeline(written(events), body, () => clearInterval(beat));
  return body;
}
