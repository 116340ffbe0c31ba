import { tenths, times, whole } from '../harness/figures.ts';
import { table } from '../harness/report.ts';
import { historyDays } from './fill.ts';
import { type GrowthFigures, growing, growthErrors, keptDays, type Stage } from './index.ts';

const mebibytes = (bytes: number) => whole(bytes / 2 ** 20);

function bytesPerRow({ sizes }: Stage): string {
  const rows = growing.map((name) => {
    const { rows: count, heap, indexes } = sizes[name];
    return [name, whole(count), whole(heap / count), whole(indexes / count), mebibytes(heap + indexes)];
  });
  return table(['table', 'rows', 'bytes a row', 'in indexes', 'MiB'], rows);
}

/** The growth of tables and of the times of requests as Markdown. */
export function reportGrowth(figures: GrowthFigures): string {
  const { chats, workspaces, stages, workSeconds, eventSeconds, sumSeconds } = figures;
  const [tenth, all, kept] = stages;
  if (!tenth || !all || !kept) throw new Error('A stage was not measured');
  const requests = all.times.map(({ name }, n) => [
    name,
    ...stages.map(({ times: each }) => times(each[n]?.p50 ?? Number.NaN, each[n]?.p99 ?? Number.NaN)),
  ]);
  const rows = growing.map((name) => {
    const [before, after] = [all.sizes[name], kept.sizes[name]];
    const [bytes, left] = [before.heap + before.indexes, after.heap + after.indexes];
    return [name, whole(before.rows), whole(after.rows), mebibytes(bytes), mebibytes(left)];
  });
  return `### Growth

${whole(chats)} chats of ${historyDays} days in ${whole(workspaces)} workspaces, half of them in one. What they take:

${bytesPerRow(all)}

Requests in that one, one at a time, p50 / p99 in ms, with a tenth of it, all, and all but what is older than ${keptDays} days:

${table(['request', tenth.name, all.name, kept.name], requests)}

${growthErrors(figures)} requests failed.

Summing up the ledger of all days took ${tenths(sumSeconds)} s.
Keeping ${keptDays} days of runs, approvals, turns and the detail of minutes took ${tenths(workSeconds)} s, of events ${tenths(eventSeconds)} s. Sizes after VACUUM FULL:

${table(['table', 'rows', 'rows left', 'MiB', 'MiB left'], rows)}`;
}
