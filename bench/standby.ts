import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFilled } from './citus/databases.ts';
import { type DatabaseNode, nodeAt } from './citus/nodes.ts';
import { fine, median, quotient, tenths, whole } from './harness/figures.ts';
import { type Call, Loader } from './harness/loader.ts';
import type { Options } from './harness/options.ts';
import { table } from './harness/report.ts';
import { cpuOf, type Server, startService } from './harness/servers.ts';
import { sampleSpaces } from './harness/spaces.ts';
import { workloadsOf } from './requests/workloads.ts';

/** One kind of read, answered by one of the servers: CPU in ms for each request. */
interface Cost {
  perSecond: number;
  serviceCpu: number;
  primaryCpu: number;
  standbyCpu: number;
  errors: number;
}

/** Reads as they are by default, and those of requests that accept an old answer; medians of the rounds. */
interface StandbyComparison {
  name: string;
  current: Cost;
  stale: Cost;
}

export interface StandbyFigures {
  version: string;
  workspaces: number;
  found: StandbyComparison[];
  errors: number;
}

const names = ['getTodo', 'listTodos newest', 'summary', 'search'];
const accepting = { 'cache-control': 'max-stale=60' };
/** A request answered by the standby has the header. */
const maxReadyMs = 60_000;

/** Where both servers are. @throws Error without the variables of the environment. */
function places({ TEST_DATABASE_URL: primary, TEST_STANDBY_URL: standby }: NodeJS.ProcessEnv) {
  if (primary && standby) return { primary, standby };
  throw new Error('Set TEST_DATABASE_URL to a PostgreSQL and TEST_STANDBY_URL to a streaming standby of it.');
}

/** The same database on another server. */
function on(server: string, url: string): string {
  return Object.assign(new URL(server), { pathname: new URL(url).pathname }).toString();
}

async function untilUsed({ url }: Server, key: string): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < maxReadyMs; await sleep(100)) {
    const headers = { authorization: `Bearer ${key}`, ...accepting };
    const response = await fetch(`${url}/api/v1/todos?limit=1`, { headers });
    await response.arrayBuffer();
    if (response.headers.has('age')) return;
  }
  throw new Error('The standby does not answer');
}

interface Measured {
  loader: Loader;
  service: Server;
  primary: DatabaseNode;
  standby: DatabaseNode;
}

async function round({ loader, service, primary, standby }: Measured, calls: Call[], options: Options): Promise<Cost> {
  const look = () => Promise.all([cpuOf(service.pid), primary.cpu(), standby.cpu()]);
  const before = await look();
  const { answered, perSecond, errors } = await loader.load(service.url, calls, options.connections, options.seconds);
  const [serviceCpu = Number.NaN, primaryCpu = Number.NaN, standbyCpu = Number.NaN] = (await look()).map((now, place) =>
    quotient(now - (before[place] ?? Number.NaN), answered),
  );
  return { perSecond, serviceCpu, primaryCpu, standbyCpu, errors };
}

function costOf(rounds: readonly Cost[]): Cost {
  const medianOf = (of: (each: Cost) => number) => median(rounds.map(of));
  return {
    perSecond: medianOf(({ perSecond }) => perSecond),
    serviceCpu: medianOf(({ serviceCpu }) => serviceCpu),
    primaryCpu: medianOf(({ primaryCpu }) => primaryCpu),
    standbyCpu: medianOf(({ standbyCpu }) => standbyCpu),
    errors: rounds.reduce((sum, each) => sum + each.errors, 0),
  };
}

/** Measures what reads cost the primary with and without a standby that may answer them. */
export async function measureStandby(options: Options, print: (line: string) => void): Promise<StandbyFigures> {
  const { primary: primaryUrl, standby: standbyUrl } = places(process.env);
  const filled = await openFilled('postgres', primaryUrl, options, print);
  const stops: (() => unknown)[] = [filled.drop];
  try {
    const { url, keys, version } = filled;
    const [key = ''] = keys;
    const read = on(standbyUrl, url);
    const service = await startService({ DATABASE_URL: url, DATABASE_READ_URL: read, AGENT_CONCURRENCY: '0' }, key);
    stops.push(service.stop);
    await untilUsed(service, key);
    const loader = new Loader();
    stops.push(() => loader.close());
    const [primary, standby] = [await nodeAt(url, 'primary'), await nodeAt(read, 'standby')];
    const workloads = await workloadsOf(service.url, await sampleSpaces(filled, 100));
    const found: StandbyComparison[] = [];
    for (const name of names) {
      const calls = workloads.find((each) => each.name === name)?.calls ?? [];
      const variants = [calls, calls.map((call) => ({ ...call, headers: accepting }))];
      const rounds: Cost[][] = [[], []];
      // The first round warms up.
      for (let turn = 0; turn <= options.rounds; turn++) {
        for (const variant of turn % 2 === 0 ? [0, 1] : [1, 0]) {
          const cost = await round({ loader, service, primary, standby }, variants[variant] ?? [], options);
          if (turn > 0 || cost.errors > 0) rounds[variant]?.push(cost);
        }
      }
      const [current, stale] = rounds.map(costOf);
      if (current && stale) found.push({ name, current, stale });
      print(`  standby: ${name}`);
    }
    return {
      version,
      workspaces: options.workspaces,
      found,
      errors: found.reduce((sum, { current, stale }) => sum + current.errors + stale.errors, 0),
    };
  } finally {
    for (const stop of stops.reverse()) {
      await Promise.resolve(stop()).catch((error: Error) => print(`  standby: ${error.message}`));
    }
  }
}

/** What reads cost each server as Markdown. */
export function reportStandby({ version, workspaces, found }: StandbyFigures, options: Options): string {
  const rows = found.map(({ name, current, stale }) => [
    name,
    `${whole(current.perSecond)} / ${whole(stale.perSecond)}`,
    `${fine(current.serviceCpu)} / ${fine(stale.serviceCpu)}`,
    `${fine(current.primaryCpu)} / ${fine(stale.primaryCpu)}`,
    `${fine(current.standbyCpu)} / ${fine(stale.standbyCpu)}`,
    fine(quotient(stale.primaryCpu, current.primaryCpu)),
  ]);
  const head = ['request', 'requests/s', 'CPU of the service', 'of the primary', 'of the standby', 'primary, times'];
  const load = tenths(loadavg()[0] ?? Number.NaN);
  return `### Reads from a standby of PostgreSQL ${version}

${options.connections} connections that read from ${whole(workspaces)} workspaces by default / with \`max-stale=60\`: medians of ${options.rounds} rounds of
${tenths(options.seconds)} s each, in turn, on ${cpus().length} cores with a load average of ${load}. CPU in ms for each request.

${table(head, rows)}`;
}
