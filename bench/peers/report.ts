import { fine, range, times, whole } from '../harness/figures.ts';
import { table } from '../harness/report.ts';
import type { PeerFigures } from './index.ts';
import { peerVersions } from './packages.ts';

const verdict = (ratio: number, target: number | undefined) =>
  target !== undefined && ratio < target ? `**${fine(ratio)}**` : fine(ratio);
const atLeast = (target: number | undefined) => (target === undefined ? '' : `≥ ${target}`);

/** The service beside others as Markdown. Missed targets are bold. */
export function reportPeers({ found, pgbench }: PeerFigures): string {
  const { directus, postgraphile } = peerVersions;
  const rows = found.map(({ name, comparison: { workload, service, ceiling, ratio, ratios } }) => [
    `${workload.name}, beside ${name}`,
    whole(service.perSecond),
    whole(ceiling.perSecond),
    verdict(ratio, workload.target),
    range(ratios),
    atLeast(workload.target),
    times(service.p50, service.p99),
    times(ceiling.p50, ceiling.p99),
    `${fine(service.cpu)} / ${fine(ceiling.cpu)}`,
    `${service.errors + ceiling.errors}`,
  ]);
  const beside = pgbench.map(({ name, service, pgbench: other, ratio, target }) => [
    name,
    whole(service),
    whole(other),
    verdict(ratio, target),
    atLeast(target),
  ]);
  const sentBySame = table(['request', 'service req/s', 'pgbench tps', 'ratio', 'target'], beside);
  return `### Beside others

Directus ${directus} and PostGraphile ${postgraphile}, one process each as the service, on one table of the same todos:
Directus for a person who may read and create them, PostGraphile without credentials; neither has assignees, search, events
or numbers to keep. “idiomatic” returns the bodies of the service, with the query builder of drizzle and a
statement each for the key, the count of requests, the todos and their assignees.

${table(
  [
    'request',
    'service req/s',
    'other req/s',
    'times',
    'rounds',
    'target',
    'service p50 / p99 ms',
    'other p50 / p99 ms',
    'CPU ms per request',
    'errors',
  ],
  rows,
)}

pgbench sends the two statements of each request of the service, one after the other, from two threads:

${beside.length > 0 ? sentBySame : 'not measured: pgbench is not installed.'}`;
}

/** Failed requests. */
export function peerErrors({ found }: PeerFigures): number {
  return found.reduce((sum, { comparison: { service, ceiling } }) => sum + service.errors + ceiling.errors, 0);
}
