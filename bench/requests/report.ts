import type { Comparison } from '../harness/compare.ts';
import { fine, quotient, range, times, whole } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { table } from '../harness/report.ts';
import type { Latency } from './sizes.ts';

/** Maximum ratio of giant to small workspace. */
const sizeTarget = 1.5;

function comparisonRow({ workload, service, ceiling, ratio, ratios }: Comparison): string[] {
  const missed = workload.target !== undefined && ratio < workload.target;
  return [
    workload.name,
    whole(service.perSecond),
    whole(ceiling.perSecond),
    missed ? `**${fine(ratio)}**` : fine(ratio),
    range(ratios),
    workload.target === undefined ? '' : `≥ ${workload.target}`,
    times(service.p50, service.p99),
    times(ceiling.p50, ceiling.p99),
    `${fine(service.cpu)} / ${fine(ceiling.cpu)}`,
    `${service.errors + ceiling.errors}`,
  ];
}

function latencyRow({ name, small, giant, errors }: Latency): string[] {
  const ratio = quotient(giant, small);
  return [name, fine(small), fine(giant), ratio > sizeTarget ? `**${fine(ratio)}**` : fine(ratio), `${errors}`];
}

/** The requests as Markdown for the README. Missed targets are bold. */
export function reportRequests(found: Comparison[], latencies: Latency[], options: Options): string {
  return `The ceiling returns the same responses with handwritten Fastify and postgres.js code, the same key check and exact request count.

${table(
  [
    'workload',
    'service req/s',
    'ceiling req/s',
    'ratio',
    'rounds',
    'target',
    'service p50 / p99 ms',
    'ceiling p50 / p99 ms',
    'CPU ms per request',
    'errors',
  ],
  found.map(comparisonRow),
)}

One request at a time, p50 in ms (target: the giant workspace at most ${sizeTarget} times a small one for get, list and search):

${table(['request', 'small', `giant (${whole(options.giant)})`, 'ratio', 'errors'], latencies.map(latencyRow))}`;
}
