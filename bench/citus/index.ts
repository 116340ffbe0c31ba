import { setTimeout as sleep } from 'node:timers/promises';
import { median, quotient } from '../harness/figures.ts';
import { type Call, Loader, type LoadResult } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { cpuOf, type Server, startService } from '../harness/servers.ts';
import { sampleSpaces } from '../harness/spaces.ts';
import { workloadsOf } from '../requests/workloads.ts';
import { type Filled, openFilled, places } from './databases.ts';
import { type DatabaseNode, nodesOf } from './nodes.ts';

/** The service on one of the two databases. */
interface Side {
  filled: Filled;
  service: Server;
  nodes: DatabaseNode[];
  calls: Map<string, Call[]>;
}

/** Medians of the rounds of one engine; CPU in ms for each request. */
export interface Cost {
  p50: number;
  serviceCpu: number;
  databaseCpu: number;
}

/** One kind of request on both engines. */
export interface CitusComparison {
  name: string;
  target: number;
  plain: Cost;
  citus: Cost;
  /** Median of the ratios of the rounds, Citus to PostgreSQL. */
  ratio: number;
}

/** What a node did for each request of many workspaces. */
export interface Share {
  name: string;
  transactions: number;
  cpu: number;
}

export interface CitusFigures {
  version: string;
  workspaces: number;
  found: CitusComparison[];
  shares: Share[];
  errors: number;
}

/** Requests, and how many times as long as on PostgreSQL they may take. */
const targets: Readonly<Record<string, number>> = {
  getTodo: 2,
  'listTodos of 50': 1.6,
  createTodo: 1.5,
  'createTodo keyed': 1.5,
  'updateTodo status': 1.5,
};

/** PostgreSQL adds up what idle connections have done after ten seconds. */
const statisticsDelayMs = 11_000;

type Round = LoadResult & Cost;

async function openSide(filled: Filled): Promise<Side> {
  const service = await startService({ DATABASE_URL: filled.url }, filled.keys[0] ?? '');
  const spaces = await sampleSpaces(filled, 100);
  const all = await workloadsOf(service.url, spaces);
  const callsOf = (name: string) => all.find((each) => each.name === name)?.calls ?? [];
  const calls = new Map(Object.keys(targets).map((name) => [name, callsOf(name)]));
  const pages = callsOf('listTodos newest').map((call) => ({ ...call, path: '/todos?limit=50' }));
  return { filled, service, nodes: await nodesOf(filled), calls: calls.set('listTodos of 50', pages) };
}

const cpuOfAll = async (nodes: readonly DatabaseNode[]) =>
  (await Promise.all(nodes.map((node) => node.cpu()))).reduce((sum, each) => sum + each, 0);

/** Requests one at a time. */
async function round(loader: Loader, { service, nodes, calls }: Side, name: string, seconds: number): Promise<Round> {
  const [before, databaseBefore] = [await cpuOf(service.pid), await cpuOfAll(nodes)];
  const result = await loader.load(service.url, calls.get(name) ?? [], 1, seconds);
  const perRequest = (amount: number) => quotient(amount, result.answered);
  const serviceCpu = perRequest((await cpuOf(service.pid)) - before);
  return { ...result, serviceCpu, databaseCpu: perRequest((await cpuOfAll(nodes)) - databaseBefore) };
}

function costOf(rounds: readonly Round[]): Cost {
  const medianOf = (of: (each: Round) => number) => median(rounds.map(of));
  return {
    p50: medianOf(({ p50 }) => p50),
    serviceCpu: medianOf(({ serviceCpu }) => serviceCpu),
    databaseCpu: medianOf(({ databaseCpu }) => databaseCpu),
  };
}

/** Both sides in turn, after a warm-up of each, so that both run under the same conditions. */
async function compareOn(loader: Loader, plain: Side, citus: Side, name: string, options: Options) {
  const { rounds, seconds } = options;
  const warm = [await round(loader, plain, name, seconds), await round(loader, citus, name, seconds)];
  const [ofPlain, ofCitus]: [Round[], Round[]] = [[], []];
  const measurePlain = async () => ofPlain.push(await round(loader, plain, name, seconds));
  const measureCitus = async () => ofCitus.push(await round(loader, citus, name, seconds));
  for (let turn = 0; turn < rounds; turn++) {
    for (const measure of turn % 2 === 0 ? [measurePlain, measureCitus] : [measureCitus, measurePlain]) await measure();
  }
  const ratio = median(ofCitus.map(({ p50 }, turn) => quotient(p50, ofPlain[turn]?.p50 ?? Number.NaN)));
  const errors = [...warm, ...ofPlain, ...ofCitus].reduce((sum, each) => sum + each.errors, 0);
  return { name, target: targets[name] ?? Number.NaN, plain: costOf(ofPlain), citus: costOf(ofCitus), ratio, errors };
}

/** What each node does while many workspaces are used at once. */
async function sharesOf(loader: Loader, { service, nodes, calls }: Side, { connections, seconds, rounds }: Options) {
  const mixed = ['getTodo', 'listTodos of 50', 'createTodo'].flatMap((name) => calls.get(name) ?? []);
  const look = () =>
    Promise.all(nodes.map(async (node) => ({ transactions: await node.transactions(), cpu: await node.cpu() })));
  await sleep(statisticsDelayMs);
  const before = await look();
  const { answered, errors } = await loader.load(service.url, mixed, connections, seconds * rounds);
  await sleep(statisticsDelayMs);
  const shares = (await look()).map(({ transactions, cpu }, place): Share => {
    const [node, was] = [nodes[place], before[place]];
    const perRequest = (now: number, then = Number.NaN) => quotient(now - then, answered);
    return {
      name: node?.name ?? '',
      transactions: perRequest(transactions, was?.transactions),
      cpu: perRequest(cpu, was?.cpu),
    };
  });
  return { shares, errors };
}

/** Compares the service on a Citus cluster with the service on a PostgreSQL of the same version. */
export async function measureCitus(options: Options, print: (line: string) => void): Promise<CitusFigures> {
  const { plain: plainUrl, cluster } = places(process.env);
  const stops: (() => unknown)[] = [];
  try {
    const open = async (engine: 'postgres' | 'citus', url: string) => {
      const filled = await openFilled(engine, url, options, print);
      stops.push(filled.drop);
      const side = await openSide(filled);
      stops.push(side.service.stop);
      return side;
    };
    const [plain, citus] = [await open('postgres', plainUrl), await open('citus', cluster)];
    const loader = new Loader();
    stops.push(() => loader.close());
    const found: (CitusComparison & { errors: number })[] = [];
    for (const name of Object.keys(targets)) {
      const comparison = await compareOn(loader, plain, citus, name, options);
      found.push(comparison);
      print(`  citus: ${name.padEnd(18)} ${comparison.ratio.toFixed(2)} times, ${comparison.errors} errors`);
    }
    const { shares, errors } = await sharesOf(loader, citus, options);
    const all = found.reduce((sum, each) => sum + each.errors, errors);
    return { version: plain.filled.version, workspaces: options.workspaces, found, shares, errors: all };
  } finally {
    // What cannot be stopped or dropped must not leave the others behind.
    for (const stop of stops.reverse()) {
      await Promise.resolve(stop()).catch((error: Error) => print(`  citus: ${error.message}`));
    }
  }
}
