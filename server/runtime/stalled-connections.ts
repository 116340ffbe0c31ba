import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A client that takes nothing of what waits for it for so long is disconnected. */
const limitMs = 60_000;
const checkMs = 15_000;

/** How much was taken through a connection, and since when no more was. */
interface Progress {
  taken: number;
  since: number;
}

/**
 * How much of what was written to a connection the system has taken. A large text is one write, and only the handle
 * knows how much of it still waits; Node itself uses it to extend the timeout of a connection that makes progress.
 */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } };
  return (socket.bytesWritten ?? 0) - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

/**
 * Ends connections to clients that do not read what waits for them. Nothing else would end them, and each holds its
 * answers and what they are read from. One timer serves all connections, as a process has thousands.
 */
export class StalledConnections {
  readonly #open = new Set<Socket>();
  readonly #waiting = new WeakMap<Socket, Progress>();
  #timer: NodeJS.Timeout | undefined;

  /** Watches a connection until it is closed. */
  watch(socket: Socket): void {
    this.#open.add(socket);
    this.#timer ??= setInterval(() => this.check(performance.now()), checkMs).unref();
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Ends the connections on which something has waited for a minute before `now`, in ms of `performance.now`. */
  check(now: number): void {
    for (const socket of this.#open) {
      if (socket.writableLength === 0) {
        this.#waiting.delete(socket);
        continue;
      }
      const taken = takenOf(socket);
      const progress = this.#waiting.get(socket);
      if (progress?.taken !== taken) this.#waiting.set(socket, { taken, since: now });
      else if (now - progress.since >= limitMs) socket.destroy();
    }
  }
}

/** Those of this process. */
export const stalledConnections = new StalledConnections();

/** Ends the stalled connections of an app. */
export function endStalledConnections(app: FastifyInstance): void {
  app.server.on('connection', (socket) => stalledConnections.watch(socket));
}
