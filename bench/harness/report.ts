import { arch, cpus, loadavg, totalmem } from 'node:os';
import { tenths, whole } from './figures.ts';
import type { Options } from './options.ts';

/** A Markdown table whose first column is text. */
export function table(head: string[], rows: string[][]): string {
  const aligned = head.map((_, place) => (place === 0 ? '---' : '---:'));
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The machine, the versions and the sizes of a run. */
export function heading({ version, size }: { version: string; size: string }, options: Options): string {
  const [cpu] = cpus();
  const { workspaces, todos, giant, connections, rounds, seconds } = options;
  const date = new Date().toISOString().slice(0, 10);
  return `### Bench of ${date}

${cpu?.model.trim()} (${cpus().length} cores, ${arch()}), ${whole(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, PostgreSQL ${version};
database, service, ceiling and load generator on this one machine. ${whole(workspaces)} workspaces, ${whole(todos)} todos, ${whole(giant)} of them
in one (${size}). ${connections} connections; medians of ${rounds} rounds of ${seconds} s each, service and ceiling in turn.
Load average of the machine before: ${tenths(loadavg()[0] ?? Number.NaN)}.`;
}
