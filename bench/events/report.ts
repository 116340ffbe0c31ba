import type { Comparison } from '../harness/compare.ts';
import { fine, range, tenths, times, whole } from '../harness/figures.ts';
import { table } from '../harness/report.ts';
import type { EventFigures } from './index.ts';
import type { Lag } from './lag.ts';

const targets = { kib: 25, reachMs: 500 };

const marked = (text: string, missed: boolean) => (missed ? `**${text}**` : text);
const missedMs = (value: number, target: number) => marked(tenths(value), value > target);

function writeRow({ workload, service, ceiling, ratio, ratios }: Comparison): string[] {
  return [
    workload.name,
    whole(service.perSecond),
    whole(ceiling.perSecond),
    marked(fine(ratio), ratio < (workload.target ?? 0)),
    range(ratios),
    times(service.p50, service.p99),
    times(ceiling.p50, ceiling.p99),
    `${fine(service.cpu)} / ${fine(ceiling.cpu)}`,
    `${service.errors + ceiling.errors}`,
  ];
}

function lagRow({ name, load, p50, p99, target = Number.POSITIVE_INFINITY, samples }: Lag): string[] {
  return [name, whole(load), tenths(p50), missedMs(p99, target), whole(samples)];
}

/** Events as Markdown. Missed targets are bold. */
export function reportEvents({ idle, writes, lags, streams }: EventFigures): string {
  const { resident, collected, heap, p50, p95, max, cpu, idleCore } = streams;
  return `### Events

Writes of the service, and of the same service without events, in turn (target ≥ ${writes[0]?.workload.target}):

${table(
  [
    'writes',
    'with events /s',
    'without /s',
    'ratio',
    'rounds',
    'with p50 / p99 ms',
    'without p50 / p99 ms',
    'CPU ms per request',
    'errors',
  ],
  writes.map(writeRow),
)}

From the acknowledged commit of one process to a stream of another (target: p99 ≤ ${lags[0]?.target} ms).
An event that no service knows of, as that of a process which ended right after its commit, waits until one looks for it:

${table(['commit to reader', 'other writes /s', 'p50 ms', 'p99 ms', 'samples'], lags.map(lagRow))}

While nothing is written, the sequencer takes ${whole(idle.process)} ms of CPU a minute, and PostgreSQL ${whole(idle.database)} ms for it.

${whole(streams.streams)} streams of one workspace on one process of the service:

${table(
  ['streams', ''],
  [
    [`resident memory of each, KiB (target ≤ ${targets.kib})`, missedMs(resident, targets.kib)],
    ['the same, garbage collected', tenths(collected)],
    ['heap of each, garbage collected, KiB', tenths(heap)],
    [
      `from sending a write to each reader, p50 / p95 / max ms (target: p95 ≤ ${targets.reachMs})`,
      `${tenths(p50)} / ${missedMs(p95, targets.reachMs)} / ${tenths(max)}`,
    ],
    ['CPU of the service for one event to one reader, µs', tenths(cpu)],
    ['CPU of the service while nothing happens, % of a core', fine(idleCore)],
  ],
)}`;
}
