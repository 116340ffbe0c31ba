import { arch, cpus, loadavg, totalmem } from 'node:os';
import type { Comparison, Latency } from './measure.ts';
import type { Options } from './options.ts';

/** What surrounds the requests. */
export interface Surroundings {
  /** MiB after the load. */
  serviceMemory: number;
  ceilingMemory: number;
  startMs: number;
}

/** How much slower the giant workspace may be. */
const sizeTarget = 1.5;

export const whole = (value: number) => Math.round(value).toLocaleString('en');
export const fine = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(2));
export const times = (p50: number, p99: number) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;

/** A Markdown table whose first column is text. */
export function table(head: string[], rows: string[][]): string {
  const aligned = head.map((_, place) => (place === 0 ? '---' : '---:'));
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function comparisonRow({ workload, service, ceiling, ratio, lowest, highest }: Comparison): string[] {
  const missed = workload.target !== undefined && ratio < workload.target;
  return [
    workload.name,
    whole(service.perSecond),
    whole(ceiling.perSecond),
    missed ? `**${fine(ratio)}**` : fine(ratio),
    `${fine(lowest)}–${fine(highest)}`,
    workload.target === undefined ? '' : `≥ ${workload.target}`,
    times(service.p50, service.p99),
    times(ceiling.p50, ceiling.p99),
    `${fine(service.cpu)} / ${fine(ceiling.cpu)}`,
    `${service.errors + ceiling.errors}`,
  ];
}

function latencyRow({ name, small, giant, errors }: Latency): string[] {
  const ratio = giant / small;
  return [name, fine(small), fine(giant), ratio > sizeTarget ? `**${fine(ratio)}**` : fine(ratio), `${errors}`];
}

/** The machine and the sizes: without them no figure means anything. */
export function heading({ version, size }: { version: string; size: string }, options: Options): string {
  const [cpu] = cpus();
  const { workspaces, todos, giant, connections, rounds, seconds } = options;
  const date = new Date().toISOString().slice(0, 10);
  return `### Bench of ${date}

${cpu?.model.trim()} (${cpus().length} cores, ${arch()}), ${whole(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, PostgreSQL ${version};
database, service, ceiling and load generator on this one machine. ${whole(workspaces)} workspaces, ${whole(todos)} todos, ${whole(giant)} of them
in one (${size}). ${connections} connections; middles of ${rounds} rounds of ${seconds} s each, service and ceiling in turn.
Load average of the machine before: ${(loadavg()[0] ?? Number.NaN).toFixed(1)}.`;
}

/** The requests as Markdown, to be pasted into the README. What misses its target is bold. */
export function report(found: Comparison[], latencies: Latency[], around: Surroundings, options: Options): string {
  return `The ceiling is the same answer from Fastify and postgres.js by hand, with the same key check and exact request count.

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

Memory after the load: service ${whole(around.serviceMemory)} MiB, ceiling ${whole(around.ceilingMemory)} MiB.
Start on this data directory to the first answer: ${(around.startMs / 1000).toFixed(1)} s (target ≤ 5 s).

One request at a time, p50 in ms (target: the giant workspace at most ${sizeTarget} times a small one for get, list and search):

${table(['request', 'small', `giant (${whole(options.giant)})`, 'ratio', 'errors'], latencies.map(latencyRow))}`;
}
