import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where tests choose ports: below those that systems give to clients and to servers without a port of their own, which
 * could take a port while nothing listens there.
 */
const [lowest, highest] = [15_000, 32_000];

const canListen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port of loopback on which nothing listens now, and which nobody gets without asking for it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await canListen(port)) return port;
  }
}
