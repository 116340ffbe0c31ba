import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a connection that was opened just before the process stops listening has for its request. */
const firstRequestMs = 1000;

/**
 * Prevents connections from delaying a process that stops. When it stops listening, Node ends connections that are idle
 * between two requests. It ends neither those that never had a request (browsers open them in advance), nor those that
 * become idle later with `Connection: keep-alive`: their headers were sent before the stop, as with streams.
 */
export function endConnectionsOnClose(app: FastifyInstance): void {
  const connections = new Set<Socket>();
  let closing = false;
  app.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  app.addHook('onResponse', ({ raw }, _, done) => {
    if (closing) raw.socket.destroySoon();
    done();
  });
  app.addHook('preClose', async () => {
    closing = true;
    const endUnused = () => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    };
    setTimeout(endUnused, firstRequestMs).unref();
  });
}
