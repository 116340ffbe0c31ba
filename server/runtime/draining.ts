import type { FastifyInstance, FastifyReply } from 'fastify';

/** The first part of a shutdown: the process still serves, and load balancers send new requests to others. */
export interface Draining {
  /** Aborted when it begins. */
  readonly signal: AbortSignal;
  /** From now on `/readyz` answers 503, and every answer ends its connection. */
  begin(): void;
}

export function createDraining(): Draining {
  const draining = new AbortController();
  return { signal: draining.signal, begin: () => draining.abort() };
}

/**
 * Has every answer end its connection while the process drains, so that clients which keep connections alive open their
 * next one elsewhere. Idle connections stay open until the process stops listening: a client may send a request on one
 * at any time. Closing the app begins it too.
 */
export function mountDraining(app: FastifyInstance, draining: Draining): void {
  app.addHook('preClose', async () => draining.begin());
  // Reading it from the signal, twice for each request, costs more than a variable.
  let isDraining = draining.signal.aborted;
  draining.signal.addEventListener('abort', () => {
    isDraining = true;
  });
  const endConnection = (reply: FastifyReply) => {
    if (isDraining) reply.header('Connection', 'close');
  };
  // Streams are sent past Fastify, and pass the first of these hooks alone.
  app.addHook('onRequest', (_, reply, done) => {
    endConnection(reply);
    done();
  });
  app.addHook('onSend', (_, reply, __, done) => {
    endConnection(reply);
    done();
  });
}

/** The most that is set aside for handing back work and closing the database. */
const maxReserveSeconds = 5;

/** Seconds of `SHUTDOWN_SECONDS` that requests and jobs have to end, after the lame-duck period. */
export function closingSeconds(config: { SHUTDOWN_SECONDS: number; LAME_DUCK_SECONDS: number }): number {
  const { SHUTDOWN_SECONDS: all, LAME_DUCK_SECONDS: lameDuck } = config;
  return Math.max(0, all - lameDuck - Math.min(maxReserveSeconds, all / 5));
}
