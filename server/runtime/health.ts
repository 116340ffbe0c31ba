import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../db/client.ts';
import type { Space } from '../../db/disk-space.ts';
import { clusterFault } from '../../db/engine-check.ts';
import { isReadOnly } from '../../db/errors.ts';

/** What a process needs to serve requests. */
export interface Needs {
  /** With a connection of its own: others may all be busy. */
  db: Db;
  /** What is read from beside; the process serves without it. */
  standby?: { readonly status: string | undefined } | undefined;
  databaseSpace: Space;
  audioSpace: Space;
}

/** A probe that takes longer than this is as good as failed, in ms. */
const maxProbeMs = 2000;

const unreachable = 'database unreachable';

/** Fails on a server that only reads, as a change would, so that the connection is replaced (`db/pool.ts`). */
const requireWritable = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception 'the database is read-only' using errcode = 'read_only_sql_transaction';
  end if;
end $$`;

/** What is wrong with the database, in words; undefined when it answers and nothing is. */
async function databaseFault(db: Db): Promise<string | undefined> {
  try {
    await db.rows(requireWritable, []);
    return await clusterFault(db);
  } catch (error) {
    return isReadOnly(error) ? 'database read-only' : unreachable;
  }
}

/** What is lacking, in words; undefined when nothing is. */
async function lacking({ db, databaseSpace, audioSpace }: Needs): Promise<string | undefined> {
  const [fault] = await Promise.all([databaseFault(db), databaseSpace.check()]);
  if (fault !== undefined) return fault;
  if (databaseSpace.isFull) return 'database full';
  await audioSpace.check();
  return audioSpace.isFull ? 'audio storage full' : undefined;
}

/**
 * Liveness (the process answers) and readiness (the database does and takes writes, there is space, and the process is
 * not shutting down: `stopping`).
 */
export function mountHealth(app: FastifyInstance, needs: Needs, stopping: AbortSignal): void {
  app.get('/healthz', { config: { ungated: true }, logLevel: 'silent' }, async () => ({ status: 'ok' }));
  let probe: Promise<string | undefined> | undefined;
  app.get('/readyz', { config: { ungated: true }, logLevel: 'silent' }, async (_, reply) => {
    if (stopping.aborted) return reply.code(503).send({ status: 'stopping' });
    // On a silent network no statement ends: all probes of that time share one statement, and none waits for its end.
    probe ??= lacking(needs).finally(() => {
      probe = undefined;
    });
    const status = await Promise.race([probe, sleep(maxProbeMs, unreachable, { ref: false })]);
    if (status !== undefined) return reply.code(503).send({ status });
    const standby = needs.standby?.status;
    return { status: 'ok', ...(standby !== undefined && { standby }) };
  });
}
