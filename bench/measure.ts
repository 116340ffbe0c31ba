import type { Call, Loader, LoadResult } from './loader.ts';
import type { Options } from './options.ts';
import { cpuOf, type Server } from './servers.ts';
import { type Space, searchedWords, type Workload } from './workloads.ts';

/** One of the two under one workload: middles over the rounds. */
export interface Side {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  /** CPU milliseconds of its process per answer. */
  cpu: number;
}

export interface Comparison {
  workload: Workload;
  service: Side;
  ceiling: Side;
  /** The middle of the ratios of each round. */
  ratio: number;
  lowest: number;
  highest: number;
}

export interface Latency {
  name: string;
  small: number;
  giant: number;
  errors: number;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function sideOf(rounds: (LoadResult & { cpu: number })[]): Side {
  const middle = (of: (round: LoadResult & { cpu: number }) => number) => median(rounds.map(of));
  return {
    perSecond: middle((round) => round.perSecond),
    p50: middle((round) => round.p50),
    p99: middle((round) => round.p99),
    cpu: middle((round) => round.cpu),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
  };
}

/** Service and ceiling in turn, after a warm-up of each, so that both meet the same machine. */
export async function compare(
  loader: Loader,
  [service, ceiling]: readonly [Server, Server],
  [ours, theirs]: readonly [Workload, Workload],
  { connections, seconds, rounds }: Options,
): Promise<Comparison> {
  const round = async ({ url, pid }: Server, calls: Call[], length: number) => {
    const before = await cpuOf(pid);
    const result = await loader.load(url, calls, connections, length);
    return { ...result, cpu: ((await cpuOf(pid)) - before) / result.answered };
  };
  const warmUp = Math.min(1, seconds);
  const warm = [await round(service, ours.calls, warmUp), await round(ceiling, theirs.calls, warmUp)];
  const [mine, others]: [Awaited<ReturnType<typeof round>>[], Awaited<ReturnType<typeof round>>[]] = [[], []];
  for (let turn = 0; turn < rounds; turn++) {
    mine.push(await round(service, ours.calls, seconds));
    others.push(await round(ceiling, theirs.calls, seconds));
  }
  const ratios = mine.map((each, turn) => each.perSecond / (others[turn]?.perSecond ?? Number.NaN));
  const sides = { service: sideOf(mine), ceiling: sideOf(others) };
  sides.service.errors += warm[0]?.errors ?? 0;
  sides.ceiling.errors += warm[1]?.errors ?? 0;
  return {
    workload: ours,
    ...sides,
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

/** The same requests one by one in a small workspace and in the giant one, in turn: does size cost time? */
export async function compareSizes(loader: Loader, url: string, spaces: Space[], probes: number): Promise<Latency[]> {
  const [giant, ...small] = spaces;
  if (!giant) return [];
  const pairs = (path: (space: Space, turn: number) => string): Call[] =>
    small.flatMap((space, turn) =>
      [space, giant].map((each): Call => ({ method: 'GET', path: path(each, turn), key: each.key })),
    );
  const words = searchedWords();
  const kinds: [string, Call[]][] = [
    ['getTodo', pairs(({ ids }, turn) => `/todos/${ids[turn % ids.length]}`)],
    ['listTodos', pairs(() => '/todos')],
    ['listTodos status=active', pairs(() => '/todos?status=active')],
    ['listTodos sort=dueDate', pairs(() => '/todos?sort=dueDate&order=asc')],
    ['listTodos assignedToMe', pairs(() => '/todos?assignedToMe=true')],
    ['search', pairs((_, turn) => `/todos?query=${encodeURIComponent(words[turn % words.length]?.[1] ?? '')}`)],
    ...words.map(([kind, word]): [string, Call[]] => [
      `search ${kind} word`,
      pairs(() => `/todos?query=${encodeURIComponent(word)}`),
    ]),
    ['summary', pairs(() => '/todos/summary')],
  ];
  const latencies: Latency[] = [];
  for (const [name, calls] of kinds) {
    const [first, second] = await loader.probe(url, calls, probes, 2);
    const { errors = 0, p50: inSmall = Number.NaN } = first ?? {};
    latencies.push({ name, small: inSmall, giant: second?.p50 ?? Number.NaN, errors });
  }
  return latencies;
}
