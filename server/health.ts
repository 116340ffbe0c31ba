import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../db/client.ts';

function answers(db: Db): Promise<boolean> {
  return db.rows('select 1', []).then(
    () => true,
    () => false,
  );
}

/**
 * Liveness (the process answers) and readiness (the database does, and the process is not shutting down). While it
 * shuts down, every answer ends its connection: one kept alive by its client would keep the process alive too.
 */
export function mountHealth(app: FastifyInstance, db: Db): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_, reply, __, done) => {
    if (closing) reply.header('Connection', 'close');
    done();
  });
  app.get('/healthz', { config: { ungated: true }, logLevel: 'silent' }, async () => ({ status: 'ok' }));
  let probe: Promise<boolean> | undefined;
  app.get('/readyz', { config: { ungated: true }, logLevel: 'silent' }, async (_, reply) => {
    if (closing) return reply.code(503).send({ status: 'closing' });
    // A silent network never answers: the probes of that time share one statement, and none waits for it.
    probe ??= answers(db).finally(() => {
      probe = undefined;
    });
    if (await Promise.race([probe, sleep(2000, false, { ref: false })])) return { status: 'ok' };
    return reply.code(503).send({ status: 'database unreachable' });
  });
}
