import { cpus, loadavg } from 'node:os';
import { type Comparison, compare, type Workload } from './harness/compare.ts';
import { type BenchDatabase, openBenchDatabase } from './harness/database.ts';
import { fine, range, tenths, times, whole } from './harness/figures.ts';
import { Loader } from './harness/loader.ts';
import type { Options } from './harness/options.ts';
import { table } from './harness/report.ts';
import { startService } from './harness/servers.ts';
import { sampleSpaces } from './harness/spaces.ts';
import { deleteNewTodos } from './requests/index.ts';
import { workloadsOf } from './requests/workloads.ts';

/** What a database of ten times the size must not slow down, and by how much it may. */
const names = [
  'getTodo',
  'listTodos newest',
  'listTodos status=active',
  'listTodos deep page',
  'search',
  'search in the largest',
  'search in the others',
  'createTodo',
  'createTodo keyed',
  'updateTodo status',
];
const target = 0.9;

/**
 * Beside the searches of all workspaces, those of the largest one, which is ten times larger as well and has ten times
 * the matches, and those of the others, which are not.
 */
function withSearchesApart(workloads: readonly Workload[], largest: string | undefined): Workload[] {
  const apart = ({ name, target, calls }: Workload): Workload[] => [
    { name: `${name} in the largest`, target, calls: calls.filter(({ key }) => key === largest) },
    { name: `${name} in the others`, target, calls: calls.filter(({ key }) => key !== largest) },
  ];
  return workloads.flatMap((each) => (each.name === 'search' ? [each, ...apart(each)] : [each]));
}

export interface TenfoldFigures {
  large: string;
  small: string;
  found: Comparison[];
  errors: number;
}

/** A tenth of the workspaces and of the todos, also of the giant one. */
function tenthOf(options: Options): Options {
  const { workspaces, todos, giant, data } = options;
  const tenth = { workspaces: workspaces / 10, todos: todos / 10, giant: giant / 10 };
  if (!Object.values(tenth).every(Number.isInteger) || tenth.workspaces < 2) {
    throw new Error('--workspaces, --todos and --giant must be multiples of 10, and --workspaces at least 20');
  }
  return { ...options, ...tenth, ...(data !== undefined && { data: `${data}-tenth` }) };
}

/** Compares the service on the database of the options with the same on one of a tenth, loaded in turn. */
export async function measureTenfold(options: Options, print: (line: string) => void): Promise<TenfoldFigures> {
  const stops: (() => unknown)[] = [];
  try {
    const databases: BenchDatabase[] = [];
    for (const sizes of [tenthOf(options), options]) {
      const database = await openBenchDatabase(sizes, print);
      stops.push(database.remove, database.stop);
      databases.unshift(database);
    }
    const loader = new Loader();
    stops.push(() => loader.close());
    const started = async (database: BenchDatabase) => {
      const server = await startService({ DATABASE_URL: database.url }, database.keys[0] ?? '');
      stops.push(server.stop);
      const workloads = await workloadsOf(server.url, await sampleSpaces(database, 100));
      return { database, server, workloads: withSearchesApart(workloads, database.keys[0]) };
    };
    const [large, small] = [await started(databases[0] as BenchDatabase), await started(databases[1] as BenchDatabase)];
    const [{ now: begun } = { now: '' }] = await large.database.db.rows<{ now: string }>('select now()', []);
    const found: Comparison[] = [];
    for (const workload of large.workloads.filter(({ name }) => names.includes(name))) {
      const other = small.workloads.find(({ name }) => name === workload.name) ?? workload;
      const comparison = await compare(loader, [large.server, small.server], [workload, other], options);
      found.push(comparison);
      print(`  ${workload.name.padEnd(26)} ${fine(comparison.ratio)} of a tenth of the todos`);
    }
    for (const { database } of [large, small]) await deleteNewTodos(database, begun);
    const errors = found.reduce((sum, { service, ceiling }) => sum + service.errors + ceiling.errors, 0);
    return { large: large.database.size, small: small.database.size, found, errors };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** The requests to both as Markdown. Missed targets are bold. */
export function reportTenfold({ large, small, found }: TenfoldFigures, options: Options): string {
  const rows = found.map(({ workload, service, ceiling, ratio, ratios }) => [
    workload.name,
    `${whole(service.perSecond)} / ${whole(ceiling.perSecond)}`,
    ratio < target ? `**${fine(ratio)}**` : fine(ratio),
    range(ratios),
    times(service.p50, service.p99),
    times(ceiling.p50, ceiling.p99),
    `${service.errors + ceiling.errors}`,
  ]);
  const head = ['request', 'requests/s', 'ratio', 'of each round', 'p50 / p99 ms', 'of the tenth', 'errors'];
  const { workspaces, todos, giant, connections, rounds, seconds } = options;
  return `### Ten times the todos

The service on ${whole(workspaces)} workspaces with ${whole(todos)} todos, ${whole(giant)} of them in one (${large}), beside the same on a tenth of
each (${small}). Both databases and services are on this one machine of ${cpus().length} cores; ${connections} connections, medians of ${rounds} rounds of
${seconds} s each, in turn; target ≥ ${fine(target)}. Load average at the end: ${tenths(loadavg()[0] ?? Number.NaN)}.

${table(head, rows)}`;
}
