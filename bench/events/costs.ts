import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connect } from '../../db/client.ts';
import { startSequencer } from '../../server/events/sequencer.ts';
import { type Comparison, compare } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { startService } from '../harness/servers.ts';
import { sampleSpaces } from '../harness/spaces.ts';
import { workloadsOf } from '../requests/workloads.ts';
import { bundleWithoutEvents } from './without-events.ts';

const written = ['createTodo', 'updateTodo status', 'updateTodo title'];

/** Target for the ratio of writes with events to writes without. */
const target = 0.95;

/** Whether a write is answered with the event that it recorded. */
async function recordsEvents(url: string, key: string): Promise<boolean> {
  const { headers, status } = await fetch(`${url}/api/v1/todos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'An event' }),
  });
  if (status !== 201) throw new Error(`A todo could not be created: ${status}`);
  return headers.has('tandem-event');
}

/** Compares writes of the service with those of the same service without events, in turn. */
export async function compareWrites(database: BenchDatabase, options: Options): Promise<Comparison[]> {
  const [key = ''] = database.keys;
  const environment = { DATABASE_URL: database.url };
  // First: it holds this process for long enough that a service closes the connections that it has to it.
  const bundle = await bundleWithoutEvents();
  const loader = new Loader();
  const stops: (() => unknown)[] = [bundle.remove, () => loader.close()];
  try {
    const service = await startService(environment, key);
    stops.push(service.stop);
    const without = await startService(environment, key, bundle.file);
    stops.push(without.stop);
    if (!(await recordsEvents(service.url, key)) || (await recordsEvents(without.url, key)))
      throw new Error('The services to compare do not differ in their events.');
    const spaces = await sampleSpaces(database, 50);
    const found: Comparison[] = [];
    const all = [await workloadsOf(service.url, spaces), await workloadsOf(without.url, spaces)];
    for (const name of written) {
      const [ours, theirs] = all.map((each) => each.find((workload) => workload.name === name));
      if (!ours || !theirs) throw new Error(`There is no workload ${name}`);
      found.push(
        await compare(
          loader,
          [service, without],
          [
            { ...ours, target },
            { ...theirs, target },
          ],
          options,
        ),
      );
    }
    return found;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/**
 * What the sequencer costs while nothing is written, in CPU milliseconds per minute: of its process, and of PostgreSQL.
 */
export interface IdleFigures {
  process: number;
  database: number;
}

const isQueued = 'select exists (select from event_queue) as yes';

/** Waits until a sequencer has numbered what earlier writes left in the queue. @throws Error after a minute. */
async function untilNumbered({ db }: BenchDatabase): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    if (!(await db.rows<{ yes: boolean }>(isQueued, []))[0]?.yes) return;
    await sleep(100);
  }
  throw new Error('Events of earlier writes were not numbered within a minute.');
}

const busy = `select coalesce(sum(active_time), 0)::float8 as ms from pg_stat_database where datname = current_database()`;

/** Runs a sequencer, and nothing else, in this process. */
export async function measureIdle(database: BenchDatabase, { idleSeconds }: Options): Promise<IdleFigures> {
  const { url, db } = database;
  const own = connect(url, { poolSize: 2 });
  const sequencer = startSequencer(own, pino({ level: 'silent' }));
  const statementMs = async () => (await db.rows<{ ms: number }>(busy, []))[0]?.ms ?? Number.NaN;
  try {
    await untilNumbered(database);
    await sleep(1000);
    const [cpu, statements] = [process.cpuUsage(), await statementMs()];
    await sleep(idleSeconds * 1000);
    const { user, system } = process.cpuUsage(cpu);
    const minutes = idleSeconds / 60;
    return { process: (user + system) / 1000 / minutes, database: ((await statementMs()) - statements) / minutes };
  } finally {
    await sequencer.stop();
    await own.close();
  }
}
