import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The most of a refused body that is read, and how long the client may pause meanwhile, as nginx waits by default. */
const maxDiscardedBytes = 64 * 2 ** 20;
const maxPauseMs = 5000;

/** Reads the rest of a body and discards it: up to its end, the limit, a pause, or the end of the connection. */
function discard(raw: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const stop = () => {
      clearTimeout(pause);
      resolve();
    };
    const pause = setTimeout(stop, maxPauseMs);
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxDiscardedBytes) stop();
      else pause.refresh();
    });
    for (const event of ['end', 'error', 'close']) raw.once(event, stop);
    raw.resume();
  });
}

/**
 * Makes a refusal wait until its client has sent the body. A connection that is closed with unread bytes is reset, and
 * the reset destroys an answer that the client has not read yet (RFC 9112, section 9.6): the client of a body that was
 * too large got EPIPE instead of 413. The connection then stays open for the next request, unless `draining` or the
 * client ends it.
 */
export function readRefusedBodies(app: FastifyInstance, draining: AbortSignal): void {
  app.addHook('onSend', ({ raw }, reply, _, done) => {
    if (raw.complete || reply.statusCode < 400) return done();
    void discard(raw).then(() => {
      // Fastify's parser ends the connection because the body may go on.
      const mayStay = raw.complete && !draining.aborted && reply.raw.shouldKeepAlive;
      if (mayStay && reply.hasHeader('connection')) reply.header('connection', 'keep-alive');
      done();
    });
  });
}
