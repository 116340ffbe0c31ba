import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps connections from holding up a process that stops. Node ends those that rest between two requests when it stops
 * listening, but neither those on which nothing was ever asked (browsers open them ahead of need), nor those that come
 * to rest later although they were promised to stay: the ones of streams, answered before anybody knew of the stop.
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
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  });
}
