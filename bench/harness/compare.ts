import { median, quotient } from './figures.ts';
import type { Call, Loader, LoadResult } from './loader.ts';
import type { Options } from './options.ts';
import { cpuOf, type Server } from './servers.ts';

/** Requests of one kind, sent in turn. */
export interface Workload {
  name: string;
  /** Target for the ratio of service to ceiling; undefined where there is none. */
  target: number | undefined;
  calls: Call[];
}

/** One server under one workload: medians over the rounds. */
export interface Side {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  /** CPU milliseconds of its process per response. */
  cpu: number;
}

/** Service and ceiling under one workload. */
export interface Comparison {
  workload: Workload;
  service: Side;
  ceiling: Side;
  /** Median of the ratios of the rounds. */
  ratio: number;
  /** The ratio of each round. */
  ratios: number[];
}

function sideOf(rounds: Round[]): Side {
  const medianOf = (of: (round: Round) => number) => median(rounds.map(of));
  return {
    perSecond: medianOf((round) => round.perSecond),
    p50: medianOf((round) => round.p50),
    p99: medianOf((round) => round.p99),
    cpu: medianOf((round) => round.cpu),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
  };
}

type Round = LoadResult & { cpu: number };

/**
 * Seconds of the warm-up: V8 compiles what a kind of request runs for about 15 s of its load, longer where more code
 * runs. Short rounds are those of tests.
 */
const maxWarmUp = 15;
const warmUpRounds = 4;

/** Loads service and ceiling in turn, after a warm-up of each, so that both run under the same conditions. */
export async function compare(
  loader: Loader,
  [service, ceiling]: readonly [Server, Server],
  [ours, theirs]: readonly [Workload, Workload],
  { connections, seconds, rounds }: Options,
): Promise<Comparison> {
  const round = async ({ url, pid }: Server, calls: Call[], length: number): Promise<Round> => {
    const before = await cpuOf(pid);
    const result = await loader.load(url, calls, connections, length);
    return { ...result, cpu: quotient((await cpuOf(pid)) - before, result.answered) };
  };
  const warmUp = Math.min(maxWarmUp, warmUpRounds * seconds);
  const warm = [await round(service, ours.calls, warmUp), await round(ceiling, theirs.calls, warmUp)];
  const [mine, others]: [Round[], Round[]] = [[], []];
  const measureMine = async () => mine.push(await round(service, ours.calls, seconds));
  const measureOthers = async () => others.push(await round(ceiling, theirs.calls, seconds));
  for (let turn = 0; turn < rounds; turn++) {
    // Each is the first in half of the rounds: what drifts, such as the size of the tables, is on both sides.
    for (const measure of turn % 2 === 0 ? [measureMine, measureOthers] : [measureOthers, measureMine]) await measure();
  }
  const ratios = mine.map((each, turn) => quotient(each.perSecond, others[turn]?.perSecond ?? Number.NaN));
  const sides = { service: sideOf(mine), ceiling: sideOf(others) };
  sides.service.errors += warm[0]?.errors ?? 0;
  sides.ceiling.errors += warm[1]?.errors ?? 0;
  return { workload: ours, ...sides, ratio: median(ratios), ratios };
}
