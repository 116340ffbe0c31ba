import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { clockMs } from '../agents/tokens.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { quantile } from '../harness/figures.ts';
import { Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { type Server, startService } from '../harness/servers.ts';
import { sampleSpaces } from '../harness/spaces.ts';
import { workloadsOf } from '../requests/workloads.ts';
import { Followers } from './followers.ts';

/** From an acknowledged commit until a stream of another process had the event, in ms. */
export interface Lag {
  name: string;
  p50: number;
  p99: number;
  samples: number;
  /** Writes per second beside the measured ones. */
  load: number;
  /** For the 99th percentile, in ms; undefined where there is none. */
  target: number | undefined;
}

/** For the 99th percentile of what a service writes, in ms. */
const target = 250;

/** The longest pause between two measured writes, in ms. */
const maxPauseMs = 100;

/** The workspace of a key, and the end of its log. */
async function workspaceOf({ db }: BenchDatabase, key: string): Promise<{ id: string; latest: number }> {
  const text = `select c.workspace_id as id, coalesce(p.latest, 0)::int as latest from credentials c
    left join event_positions p on p.workspace_id = c.workspace_id where c.secret_hash = sha256(convert_to($1, 'UTF8'))`;
  const [row] = await db.rows<{ id: string; latest: number }>(text, [key]);
  if (!row) throw new Error('The key has no workspace');
  return row;
}

const insert = `insert into event_queue (workspace_id, id, type, object_id, parents, changed_fields, actor_type, via)
  values ($1, $2, 'todo.created', $2, '{}', '{}', 'service', 'schedule')`;

/**
 * Writes one event after another; `write` returns when its commit was acknowledged (`clockMs`). Returns the delays
 * until a reader had each of them.
 */
async function delaysOf(
  followers: Followers,
  { after, until }: { after: number; until: (made: number) => boolean },
  write: () => Promise<number>,
): Promise<number[]> {
  const delays: number[] = [];
  for (let made = 0; !until(made); made++) {
    const committedAt = await write();
    const times = await followers.timesOf(after + made + 1);
    for (const at of times) delays.push(Math.max(0, at - committedAt));
    await sleep(Math.random() * maxPauseMs);
  }
  return delays;
}

async function createTodo({ url }: Server, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/todos`, { method: 'POST', headers, body: '{"title":"An event"}' });
  const committedAt = clockMs();
  if (response.status !== 201) throw new Error(`A todo was not created: ${await response.text()}`);
  await response.arrayBuffer();
  return committedAt;
}

/**
 * Measures from commit to reader, for a write of a service to a stream of another service: idle, for a write that no
 * service knows of (a process that ended right after it), and while others write as fast as they can.
 */
export async function measureLag(database: BenchDatabase, options: Options): Promise<Lag[]> {
  const { url, keys } = database;
  const key = keys[1] ?? '';
  const services = [
    await startService({ DATABASE_URL: url }, key),
    await startService({ DATABASE_URL: url }, key),
  ] as const;
  const [writing, reading] = services;
  const followers = new Followers();
  const loader = new Loader();
  try {
    await followers.open(reading.url, key, 1);
    const measured = async (name: string, until: (made: number) => boolean, write: () => Promise<number>) => {
      const { latest: after } = await workspaceOf(database, key);
      const delays = await delaysOf(followers, { after, until }, write);
      return { name, samples: delays.length, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
    };
    const { id } = await workspaceOf(database, key);
    const enough = (made: number) => made >= options.probes;
    const service = await measured('idle, written by a service', enough, () => createTodo(writing, key));
    const nobody = await measured('idle, known to no service', enough, async () => {
      await database.db.rows(insert, [id, newId()]);
      return clockMs();
    });
    const [giant, , ...spaces] = await sampleSpaces(database, 20);
    const others = [...(giant ? [giant] : []), ...spaces];
    const writes = (await workloadsOf(writing.url, others)).find(({ name }) => name === 'createTodo');
    let isOver = false;
    const run = loader
      .load(writing.url, writes?.calls ?? [], options.connections, options.seconds * options.rounds)
      .finally(() => {
        isOver = true;
      });
    const loaded = await measured(
      `${options.connections} connections write`,
      () => isOver,
      () => createTodo(writing, key),
    );
    return [
      { ...service, load: 0, target },
      { ...nobody, load: 0, target: undefined },
      { ...loaded, load: (await run).perSecond, target },
    ];
  } finally {
    loader.close();
    followers.close();
    await Promise.all(services.map((service) => service.stop()));
  }
}
