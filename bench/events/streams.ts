import { heldBy } from '../agents/heap.ts';
import { clockMs } from '../agents/tokens.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { quantile, quotient } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { cpuOf, freePort, memoryOf, startService } from '../harness/servers.ts';
import { Followers } from './followers.ts';

/** What many streams of one process take, and how soon a change reaches all of them. */
export interface StreamFigures {
  streams: number;
  /** KiB of each: resident as it is after they were opened, resident and heap after garbage collections. */
  resident: number;
  collected: number;
  heap: number;
  /** From sending a write to each reader, in ms. */
  p50: number;
  p95: number;
  max: number;
  /** CPU of the service for one event to one reader, in microseconds. */
  cpu: number;
  /** CPU of the service while nothing happens, in percent of a core. */
  idleCore: number;
}

/** Streams opened before the measurement: what a process needs once is not what a connection takes. */
const maxWarmUps = 400;
const changes = 20;

/** Creates a todo; returns when that was sent and the id of its event. */
async function change(url: string, key: string): Promise<{ sentAt: number }> {
  const sentAt = clockMs();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'An event' });
  const response = await fetch(`${url}/api/v1/todos`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`A todo was not created: ${await response.text()}`);
  await response.arrayBuffer();
  return { sentAt };
}

/** The end of the log of a workspace. */
async function latestOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/events/latest`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { sequence: number }).sequence;
}

/** Measures `options.followers` streams of one workspace on one process. */
export async function measureStreams(
  { url: databaseUrl, keys }: BenchDatabase,
  { followers: streams, idleSeconds }: Options,
): Promise<StreamFigures> {
  const [, key = ''] = keys;
  const warmUps = Math.min(maxWarmUps, Math.floor(streams / 4));
  const inspector = await freePort();
  const service = await startService(
    {
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_PER_ADDRESS: '1000000',
      NODE_OPTIONS: `--inspect=127.0.0.1:${inspector} --inspect-publish-uid=http`,
    },
    key,
  );
  const followers = new Followers();
  try {
    await followers.open(service.url, key, warmUps);
    const collectedBefore = await heldBy(inspector);
    // A collection gives memory back that the process takes again at the next requests.
    await followers.open(service.url, key, warmUps);
    const residentBefore = memoryOf(service.pid);
    await followers.open(service.url, key, streams - 2 * warmUps);
    const resident = ((memoryOf(service.pid) - residentBefore) * 1024) / (streams - 2 * warmUps);
    const held = await heldBy(inspector);
    const eachOf = (now: number, before: number) => (now - before) / 1024 / (streams - warmUps);

    const idleFrom = await cpuOf(service.pid);
    await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
    const idleCore = ((await cpuOf(service.pid)) - idleFrom) / 10 / idleSeconds;

    const begun = await cpuOf(service.pid);
    const delays: number[] = [];
    const first = await latestOf(service.url, key);
    for (let made = 1; made <= changes; made++) {
      const { sentAt } = await change(service.url, key);
      for (const at of await followers.timesOf(first + made)) delays.push(at - sentAt);
    }
    const cpu = quotient(((await cpuOf(service.pid)) - begun) * 1000, streams * changes);
    return {
      streams,
      resident,
      collected: eachOf(held.rss, collectedBefore.rss),
      heap: eachOf(held.heapUsed, collectedBefore.heapUsed),
      p50: quantile(delays, 0.5),
      p95: quantile(delays, 0.95),
      max: quantile(delays, 1),
      cpu,
      idleCore,
    };
  } finally {
    followers.close();
    await service.stop();
  }
}
