import { type Comparison, compare } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { decimals, fine } from '../harness/figures.ts';
import { Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { memoryOf, startCeiling, startService } from '../harness/servers.ts';
import { sampleSpaces } from '../harness/spaces.ts';
import { compareSizes, type Latency } from './sizes.ts';
import { verify } from './verify.ts';
import { workloadsOf } from './workloads.ts';

/** Comparisons and latencies; memory in MiB. */
export interface RequestFigures {
  found: Comparison[];
  latencies: Latency[];
  serviceMemory: number;
  ceilingMemory: number;
}

/**
 * Loads service and ceiling with every workload that `options.only` selects; `parts` are its other names. @throws Error
 * when one of them is unknown.
 */
export async function measureRequests(
  database: BenchDatabase,
  options: Options,
  parts: readonly string[],
  print: (line: string) => void,
): Promise<RequestFigures> {
  const { url, keys } = database;
  const [key = ''] = keys;
  const [{ now: begun } = { now: '' }] = await database.db.rows<{ now: string }>('select now()', []);
  const stops: (() => unknown)[] = [];
  try {
    const service = await startService({ DATABASE_URL: url }, key);
    stops.push(service.stop);
    const ceiling = await startCeiling('bench/requests/ceiling.ts', { DATABASE_URL: url }, key);
    stops.push(ceiling.stop);
    const loader = new Loader();
    stops.push(() => loader.close());
    const spaces = await sampleSpaces(database, 100);
    const [ours, theirs] = [await workloadsOf(service.url, spaces), await workloadsOf(ceiling.url, spaces)];
    const names = options.only.filter((each) => !parts.includes(each));
    const unknown = names.filter((each) => !ours.some(({ name }) => name.startsWith(each)));
    if (unknown.length > 0) throw new Error(`--only: neither a part nor a workload: ${unknown.join(', ')}`);
    const wanted = ours.filter(({ name }) => names.length === 0 || names.some((each) => name.startsWith(each)));
    const found: Comparison[] = [];
    for (const mine of wanted) {
      const other = theirs.find(({ name }) => name === mine.name) ?? mine;
      await verify(service.url, ceiling.url, mine, other, 40);
      const comparison = await compare(loader, [service, ceiling], [mine, other], options);
      found.push(comparison);
      const { perSecond, errors } = comparison.service;
      print(
        `  ${mine.name.padEnd(26)} ${decimals(perSecond, 0)} req/s, ratio ${fine(comparison.ratio)}, ${errors} errors`,
      );
    }
    const [serviceMemory, ceilingMemory] = [memoryOf(service.pid), memoryOf(ceiling.pid)];
    await deleteNewTodos(database, begun);
    const latencies = await compareSizes(loader, service.url, spaces, options.probes);
    return { found, latencies, serviceMemory, ceilingMemory };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Deletes the todos of this run and their keys, so that the next one starts with the same sizes. */
export async function deleteNewTodos({ db }: BenchDatabase, since: string): Promise<void> {
  // Half an hour of creates takes longer to delete than a statement of a request may.
  await db.driver.unsafe('delete from todos where created_at >= $1', [since]);
  await db.driver.unsafe('delete from idempotency_keys where created_at >= $1', [since]);
  await db.driver.unsafe('vacuum (analyze) todos, todo_assignees, todo_search, idempotency_keys');
}
