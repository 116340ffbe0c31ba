import { criteriaOf } from '../domain/todos/filter.ts';
import { searchPage } from '../domain/todos/search.ts';
import { sorts, type Walk } from '../domain/todos/walk.ts';
import type { BenchDatabase } from './harness/database.ts';
import { tenths, whole } from './harness/figures.ts';
import { Loader } from './harness/loader.ts';
import type { Options } from './harness/options.ts';
import { measured } from './harness/plans.ts';
import { table } from './harness/report.ts';
import { startService } from './harness/servers.ts';
import { giantOf } from './harness/spaces.ts';
import { wordOf } from './harness/words.ts';

/** Searches of one class of words in the giant workspace, newest first. Times in ms, one request at a time. */
interface SearchFigure {
  name: string;
  /** Buffers that PostgreSQL reads for a page: the median and the most. */
  buffers: [median: number, most: number];
  p50: number;
  p99: number;
  /** Maximum of p99; undefined where there is none. */
  target: number | undefined;
  errors: number;
}

const page = 26;
/** Different searches of a class. */
const searches = 25;

const common = (n: number) => wordOf(10 + 2 * n);
const frequent = (n: number) => wordOf(70 + 3 * n);
const uncommon = (n: number) => wordOf(900 + 61 * n);
const rare = (n: number) => wordOf(9000 + 397 * n);
const absent = (n: number) => `qx${'zjw'.charAt(n % 3)}q${n}`;
const part = (word: string) => (word.length > 5 ? word.slice(1, -1) : word.slice(0, 3));

/** The classes of searches, each by the number of a search; the bar for one word is 30 ms, for several 60 ms. */
const classes: [name: string, target: number | undefined, queryOf: (n: number) => string][] = [
  ['common word', 30, common],
  ['uncommon word', 30, uncommon],
  ['rare word', 30, rare],
  ['absent word', 30, absent],
  ['part of a common word', 30, (n) => part(common(n))],
  ['part of an uncommon word', 30, (n) => part(uncommon(n))],
  ['part of a rare word', 30, (n) => part(rare(n))],
  ['two common words', 60, (n) => `${common(n)} ${frequent(n)}`],
  ['common and uncommon word', 60, (n) => `${common(n)} ${uncommon(n)}`],
  ['two uncommon words', 60, (n) => `${uncommon(n)} ${uncommon(n + 1)}`],
  ['common and rare word', 60, (n) => `${common(n)} ${rare(n)}`],
  ['common and absent word', 60, (n) => `${common(n)} ${absent(n)}`],
  ['three common words', 60, (n) => `${common(n)} ${frequent(n)} ${frequent(n + 1)}`],
  ['two common words and a rare one', 60, (n) => `${common(n)} ${frequent(n)} ${rare(n)}`],
  ['two letters', undefined, (n) => uncommon(n).slice(1, 3)],
  ['two letters that few todos have', undefined, (n) => `${'qxj'.charAt(n % 3)}${'vzw'.charAt(n % 3)}`],
];

/** Searches the giant workspace for words of each class. */
export async function measureSearches(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<SearchFigure[]> {
  const [key = ''] = database.keys;
  const viewer = await giantOf(database);
  const walk: Walk = {
    viewer,
    criteria: criteriaOf(viewer, {}),
    sort: sorts.createdAt,
    order: 'desc',
    after: undefined,
  };
  const service = await startService({ DATABASE_URL: database.url }, key);
  const loader = new Loader();
  try {
    const figures: SearchFigure[] = [];
    for (const [name, target, queryOf] of classes) {
      const queries = Array.from({ length: searches }, (_, n) => queryOf(n));
      const read: number[] = [];
      for (const query of queries) {
        const { db, buffers } = measured(database.db);
        await searchPage(db, walk, query, page);
        read.push(buffers());
      }
      read.sort((one, other) => one - other);
      const calls = queries.map((query) => ({
        method: 'GET' as const,
        path: `/todos?query=${encodeURIComponent(query)}`,
        key,
      }));
      const [times] = await loader.probe(service.url, calls, options.probes, 1);
      const { p50 = Number.NaN, p99 = Number.NaN, errors = 0 } = times ?? {};
      const buffers: SearchFigure['buffers'] = [read[Math.floor(searches / 2)] ?? 0, read.at(-1) ?? 0];
      figures.push({ name, buffers, p50, p99, target, errors });
      print(`  search: ${name.padEnd(34)} ${whole(buffers[1])} buffers, p99 ${tenths(p99)} ms`);
    }
    return figures;
  } finally {
    loader.close();
    await service.stop();
  }
}

/** Number of failed requests. */
export function searchErrors(figures: readonly SearchFigure[]): number {
  return figures.reduce((sum, { errors }) => sum + errors, 0);
}

/** The classes of searches as Markdown. Missed targets are bold. */
export function reportSearches(figures: readonly SearchFigure[], { giant }: Options): string {
  const rows = figures.map(({ name, buffers: [median, most], p50, p99, target, errors }) => [
    name,
    whole(median),
    whole(most),
    tenths(p50),
    target !== undefined && p99 > target ? `**${tenths(p99)}**` : tenths(p99),
    target === undefined ? '' : `≤ ${target}`,
    `${errors}`,
  ]);
  return `### Searches

${searches} searches of each class among ${whole(giant)} todos of one workspace, one request at a time.

${table(['words', 'buffers, median', 'buffers, most', 'p50 ms', 'p99 ms', 'target of p99', 'errors'], rows)}`;
}
