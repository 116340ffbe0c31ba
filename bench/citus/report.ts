import { cpus, loadavg } from 'node:os';
import { fine, tenths, whole } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { table } from '../harness/report.ts';
import type { CitusFigures, Cost } from './index.ts';

const both = (plain: number, citus: number) => `${fine(plain)} / ${fine(citus)}`;
const cpuOf = ({ serviceCpu, databaseCpu }: Cost) => serviceCpu + databaseCpu;

/** The figures of Citus beside those of PostgreSQL as Markdown. */
export function reportCitus(
  { version, workspaces, found, shares }: CitusFigures,
  { rounds, seconds, connections }: Options,
) {
  const rows = found.map(({ name, target, plain, citus, ratio }) => [
    name,
    both(plain.p50, citus.p50),
    ratio > target ? `**${fine(ratio)}**` : fine(ratio),
    fine(target),
    both(plain.serviceCpu, citus.serviceCpu),
    both(plain.databaseCpu, citus.databaseCpu),
    fine(cpuOf(citus) / cpuOf(plain)),
  ]);
  const head = ['request', 'p50 in ms', 'times', 'target', 'CPU of the service', 'CPU of databases', 'CPU, times'];
  const used = shares.map(({ name, transactions, cpu }) => [name, fine(transactions), fine(cpu)]);
  return `### Citus beside PostgreSQL ${version}

Requests one at a time to ${whole(workspaces)} workspaces, PostgreSQL / Citus: medians of ${rounds} rounds of ${tenths(seconds)} s each, in turn, on
${cpus().length} cores with a load average of ${tenths(loadavg()[0] ?? Number.NaN)}. CPU in ms for each request.

${table(head, rows)}

What the nodes do for each request of ${connections} connections that get, list and create:

${table(['node', 'transactions', 'CPU in ms'], used)}`;
}
