import { agentErrors, measureAgents } from './agents/index.ts';
import { reportAgents } from './agents/report.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import { Loader } from './loader.ts';
import { mcpErrors, measureMcp, reportMcp } from './mcp/index.ts';
import { type Comparison, compare, compareSizes, type Latency, median } from './measure.ts';
import { type Options, parseOptions, usage } from './options.ts';
import { measureRecordings } from './recordings/index.ts';
import { reportRecordings } from './recordings/report.ts';
import { heading, report } from './report.ts';
import { measureSchedules, reportSchedules } from './schedules.ts';
import { memoryOf, startCeiling, startService } from './servers.ts';
import { verify } from './verify.ts';
import { sampleSpaces, workloadsOf } from './workloads.ts';

/*
 * `npm run bench`: the service beside its ceiling, on one database, in one run. Ends with 1 when a request failed or the
 * two answered differently; a missed target is printed, not an error.
 */

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Measured {
  found: Comparison[];
  latencies: Latency[];
  serviceMemory: number;
  ceilingMemory: number;
}

/** The workloads of requests, unless only other parts are wanted. */
const others = ['agents', 'mcp', 'recordings', 'schedules'];
const wantsRequests = ({ only }: Options) => only.length === 0 || only.some((each) => !others.includes(each));
const wants = ({ only }: Options, part: string) => only.length === 0 || only.includes(part);

async function measure(database: BenchDatabase, options: Options): Promise<Measured> {
  const { url, keys } = database;
  const [key = ''] = keys;
  const [{ now: begun } = { now: '' }] = await database.db.rows<{ now: string }>('select now()', []);
  const stops: (() => unknown)[] = [];
  try {
    const service = await startService({ DATABASE_URL: url }, key);
    stops.push(service.stop);
    const ceiling = await startCeiling('bench/ceiling.ts', { DATABASE_URL: url }, key);
    stops.push(ceiling.stop);
    const loader = new Loader();
    stops.push(() => loader.close());
    const spaces = await sampleSpaces(database, 100);
    const [ours, theirs] = [await workloadsOf(service.url, spaces), await workloadsOf(ceiling.url, spaces)];
    const wanted = ours.filter(
      ({ name }) => options.only.length === 0 || options.only.some((each) => name.startsWith(each)),
    );
    const found: Comparison[] = [];
    for (const mine of wanted) {
      const other = theirs.find(({ name }) => name === mine.name) ?? mine;
      await verify(service.url, ceiling.url, mine, other, 40);
      const comparison = await compare(loader, [service, ceiling], [mine, other], options);
      found.push(comparison);
      const { perSecond, errors } = comparison.service;
      say(
        `  ${mine.name.padEnd(26)} ${Math.round(perSecond)} req/s, ratio ${comparison.ratio.toFixed(2)}, ${errors} errors`,
      );
    }
    const [serviceMemory, ceilingMemory] = [memoryOf(service.pid), memoryOf(ceiling.pid)];
    await forget(database, begun);
    const latencies = await compareSizes(loader, service.url, spaces, options.probes);
    return { found, latencies, serviceMemory, ceilingMemory };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Erases the todos that the run made, so that the next one finds the same sizes. */
async function forget({ db }: BenchDatabase, since: string): Promise<void> {
  await db.rows('delete from todos where created_at >= $1', [since]);
  await db.driver.unsafe('vacuum (analyze) todos, todo_assignees, todo_search');
}

/** The middle of some starts on the data directory, which nobody else may have open. */
async function startTime(dataDir: string, key: string, times: number): Promise<number> {
  const starts: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const service = await startService({ DATABASE_URL: '', DATA_DIR: dataDir }, key);
    starts.push(service.startedIn);
    await service.stop();
  }
  return median(starts);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const database = await openBenchDatabase(options, say);
  const parts = [heading(database, options)];
  let errors = 0;
  try {
    say(`Measuring on ${database.size}`);
    const measured = wantsRequests(options) ? await measure(database, options) : undefined;
    const mcp = wants(options, 'mcp') ? await measureMcp(database, options, say) : undefined;
    const agents = wants(options, 'agents') ? await measureAgents(database, options, say) : undefined;
    const recordings = wants(options, 'recordings') ? await measureRecordings(database, options, say) : undefined;
    await database.stop();
    const schedules = wants(options, 'schedules') ? await measureSchedules(options, say) : undefined;
    if (measured) {
      const { found, latencies } = measured;
      const startMs = await startTime(database.dataDir, database.keys[0] ?? '', Math.min(3, options.rounds));
      parts.push(report(found, latencies, { ...measured, startMs }, options));
      const all = [...found.flatMap(({ service, ceiling }) => [service, ceiling]), ...latencies];
      errors += all.reduce((sum, each) => sum + each.errors, 0);
    }
    if (mcp) {
      parts.push(reportMcp(mcp));
      errors += mcpErrors(mcp);
    }
    if (agents) {
      parts.push(reportAgents(agents, options));
      errors += agentErrors(agents);
    }
    if (recordings) {
      parts.push(reportRecordings(recordings));
      errors += recordings.errors;
    }
    if (schedules) parts.push(reportSchedules(schedules));
    say(`\n${parts.join('\n\n')}`);
    if (errors > 0) throw new Error(`${errors} requests failed.`);
  } finally {
    await database.stop();
    await database.remove();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
  process.exitCode = 1;
});
