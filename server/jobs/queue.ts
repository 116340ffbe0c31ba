import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, PgBoss, type QueueOptions } from 'pg-boss';
import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { CaptureRef, DigestRef, Jobs, TurnRef } from '../../routers/jobs.ts';
import { StartError } from '../explain.ts';
import { complainer } from './complaints.ts';
import { type JobStore, openStore } from './store.ts';

/** What the jobs of each queue carry. */
export interface Payloads {
  turns: TurnRef;
  digests: DigestRef;
  captures: CaptureRef;
}

export type QueueName = keyof Payloads;

/** The channel of NOTIFY that names a queue with a new job to do now. */
export const jobsChannel = 'tandem_jobs';

const closeMs = 3000;

/** A time that no clock of another machine takes for one to come. */
const longPastMs = 3_600_000;

/** Seconds. A job whose process died is seen after `heartbeatSeconds`, and tried again after `retryDelay`. */
const longWork: QueueOptions = {
  expireInSeconds: 7200,
  heartbeatSeconds: 10,
  retryLimit: 20,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
};

const queues: Record<QueueName, QueueOptions> = {
  turns: longWork,
  digests: {
    expireInSeconds: 600,
    heartbeatSeconds: 10,
    retryLimit: 4,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 60,
  },
  captures: longWork,
};

/** The durable queue: jobs are rows of the same database, in the schema `pgboss`. */
export interface Queue extends Jobs {
  /** Like `turn`, for many at once. */
  turns(tx: Db, turns: readonly TurnRef[]): Promise<void>;
  /** Like `capture`, for many at once. */
  captures(tx: Db, captures: readonly CaptureRef[]): Promise<void>;
  /** Takes up to `limit` jobs that are due. */
  take<Name extends QueueName>(name: Name, limit: number): Promise<Job<Payloads[Name]>[]>;
  /** Tells that the jobs are still worked on; without that for ten seconds they are given to others. */
  keep(name: QueueName, jobs: readonly Job[]): Promise<void>;
  /** Removes jobs that are done, unless they were given to others meanwhile. */
  finish(name: QueueName, jobs: readonly Job[]): Promise<void>;
  /** Has a job tried again, later each time; after many times it stays as failed. */
  fail(name: QueueName, job: Job, error: unknown): Promise<void>;
  /** Gives a job to another process at once. */
  handBack<Name extends QueueName>(name: Name, job: Job<Payloads[Name]>): Promise<void>;
  close(): Promise<void>;
}

function within(tx: Db) {
  return { executeSql: async (text: string, values: unknown[] = []) => ({ rows: await tx.rows(text, values) }) };
}

/** Whether the tables of the queue may be made, told before pg-boss tries. @throws StartError. */
async function requireSchema(store: JobStore): Promise<boolean> {
  const { rows } = await store.executeSql(
    `select to_regnamespace($1) is not null as found, has_database_privilege(current_database(), 'create') as allowed,
      current_database() as database, current_user as role`,
    ['pgboss'],
  );
  const { found, allowed, database, role } = rows[0];
  if (found || allowed) return !found;
  throw new StartError(
    `The database role ${role} may not create the schema pgboss, where the queue of the agents' work lives. ` +
      `Let an administrator run: CREATE SCHEMA pgboss AUTHORIZATION "${role}"; in the database ${database}.`,
  );
}

async function declare(boss: PgBoss): Promise<void> {
  const known = new Map((await boss.getQueues(Object.keys(queues))).map((queue) => [queue.name, queue]));
  for (const [name, options] of Object.entries(queues)) {
    const found = known.get(name);
    if (!found) await boss.createQueue(name, options);
    else if (Object.entries(options).some(([key, value]) => found[key as keyof QueueOptions] !== value))
      await boss.updateQueue(name, options);
  }
}

/**
 * Opens the queue of the database at `url`; its tables are made when missing, and several processes may do that at
 * once. With `supervise` this process also gives away the jobs of processes that died. @throws StartError.
 */
export async function openQueue(url: string, log: Logger, supervise: boolean): Promise<Queue> {
  const store = openStore(url);
  const boss = await startBoss(store, log, supervise).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const notify = (name: QueueName) => ['select pg_notify($1, $2)', [jobsChannel, name]] as const;
  const send = async (tx: Db, name: QueueName, payloads: readonly object[], time?: string) => {
    // pg-boss clears away what was due two weeks ago, also when it has just come.
    const after = time && Date.parse(time) > Date.now() - longPastMs ? time : undefined;
    const jobs = payloads.map((data) => ({ data, ...(after && { startAfter: after }) }));
    await Promise.all([boss.insert(name, jobs, { db: within(tx) }), after ? undefined : tx.rows(...notify(name))]);
  };
  return {
    turn: (tx, turn, after) => send(tx, 'turns', [turn], after),
    turns: (tx, turns) => send(tx, 'turns', turns),
    digest: (tx, digest) => send(tx, 'digests', [digest]),
    capture: (tx, capture, after) => send(tx, 'captures', [capture], after),
    captures: (tx, captures) => send(tx, 'captures', captures),
    take: (name, limit) => boss.fetch(name, { batchSize: limit }),
    keep: async (name, jobs) => {
      await boss.touch(name, [...jobs]);
    },
    finish: async (name, jobs) => {
      await boss.deleteJob(name, [...jobs]);
    },
    fail: async (name, job, error) => {
      await boss.fail(name, job, { message: error instanceof Error ? error.name : typeof error });
    },
    handBack: async (name, job) => {
      await boss.insert(name, [{ data: job.data }]);
      await store.executeSql(...(notify(name) as unknown as [string, unknown[]]));
      await boss.deleteJob(name, job);
    },
    close: async () => {
      // It waits for its housekeeping, which a database that went silent never lets end.
      await Promise.race([boss.stop({ graceful: false }), sleep(closeMs, undefined, { ref: false })]);
      await store.close();
    },
  };
}

async function startBoss(store: JobStore, log: Logger, supervise: boolean): Promise<PgBoss> {
  const createSchema = await requireSchema(store);
  const boss = new PgBoss({
    db: store,
    createSchema,
    supervise,
    schedule: false,
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
    flowIntervalSeconds: 3600,
  });
  const complain = complainer(log);
  boss.on('error', (error) => complain(error, 'the queue could not do its housekeeping; it tries again'));
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'the queue warns'));
  await boss.start();
  await declare(boss);
  store.ready();
  return boss;
}
