import { criteriaOf } from '../domain/todos/filter.ts';
import { pageStatement } from '../domain/todos/list.ts';
import type { TodoFilter } from '../domain/todos/listing-shapes.ts';
import { sorts, type Walk } from '../domain/todos/walk.ts';
import type { BenchDatabase } from './harness/database.ts';
import { quantile, tenths, whole } from './harness/figures.ts';
import type { Options } from './harness/options.ts';
import { buffersOf } from './harness/plans.ts';
import { table } from './harness/report.ts';
import { giantOf } from './harness/spaces.ts';

/** A page of one filter in one order, in the giant workspace. `ms`: the lowest of three times in the database. */
interface PageFigure {
  filter: string;
  sort: keyof typeof sorts;
  order: 'asc' | 'desc';
  depth: 'first' | 'deep';
  ms: number;
  buffers: number;
}

const page = 26;
const targetMs = 150;
const times = 3;
/** How many of the slowest are printed. */
const named = 10;

const ago = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
const dayAgo = (days: number) => ago(days).slice(0, 10);

/** Filters alone and together: that match nearly all, half, few and none; ids of the workspace are looked up. */
async function filtersOf({ db }: BenchDatabase, workspaceId: string): Promise<Record<string, TodoFilter>> {
  const idsOf = async (text: string) => (await db.rows<{ id: string }>(text, [workspaceId])).map(({ id }) => id);
  const lists = await idsOf('select id from todo_lists where workspace_id = $1 order by id');
  const people = await idsOf(`select user_id as id from todo_assignees where workspace_id = $1 and user_id is not null
    group by 1 order by count(*) desc, 1 limit 3`);
  const [agent = ''] = await idsOf('select id from agents where workspace_id = $1');
  const [mine = '', list = ''] = [people[0], lists.at(-1)];
  return {
    none: {},
    done: { status: 'done' },
    active: { status: 'active' },
    'two statuses': { status: ['ready', 'done'] },
    high: { priority: 'high' },
    'no priority': { priority: 'none' },
    'urgent or none': { priority: ['urgent', 'none'] },
    responsibilities: { type: 'responsibility' },
    list: { todoListId: list },
    'three lists': { todoListId: lists.slice(0, 3) },
    assignee: { assigneeId: mine },
    'three assignees': { assigneeId: people },
    agent: { assigneeId: agent },
    nobody: { unassigned: true },
    archived: { includeArchived: true },
    'archived too': { archived: 'any' },
    suggested: { isSuggested: true },
    'has run': { hasRun: true },
    'has not run': { hasRun: false },
    'sub-todos': { hasParent: true },
    'updated since yesterday': { updatedSince: ago(1) },
    'updated since last year': { updatedSince: ago(400) },
    'created since yesterday': { createdSince: ago(1) },
    'created since last year': { createdSince: ago(400) },
    'due long ago': { dueBefore: dayAgo(700) },
    overdue: { dueBefore: dayAgo(0) },
    'due in months': { dueAfter: dayAgo(-150) },
    'due since last year': { dueAfter: dayAgo(400) },
    'due today': { dueAfter: dayAgo(0), dueBefore: dayAgo(0) },
    'assignee, active and high': { assigneeId: mine, status: 'active', priority: 'high' },
    'assignee, active and overdue': { assigneeId: mine, status: 'active', dueBefore: dayAgo(0) },
    'assignee, archived': { assigneeId: mine, includeArchived: true },
    'agent, done': { assigneeId: agent, status: 'done' },
    'list, done and urgent': { todoListId: list, status: 'done', priority: 'urgent' },
    'list, overdue': { todoListId: list, dueBefore: dayAgo(0) },
    'list, done responsibilities': { todoListId: list, status: 'done', type: 'responsibility' },
    'nobody, high': { unassigned: true, priority: 'high' },
    'archived, updated this month': { includeArchived: true, updatedSince: ago(30) },
  };
}

/** Reads a page of every filter in every order, up and down, the first one and one from the middle of the order. */
export async function measurePages(database: BenchDatabase, print: (line: string) => void): Promise<PageFigure[]> {
  const { db } = database;
  const viewer = await giantOf(database);
  const filters = Object.entries(await filtersOf(database, viewer.workspaceId));
  const figures: PageFigure[] = [];
  for (const sort of Object.keys(sorts) as (keyof typeof sorts)[]) {
    const { column } = sorts[sort];
    const middle = `select ${column} as value, t.id from todos t where t.workspace_id = $1 and ${column} is not null
      order by 1, 2 offset (select count(*) / 3 from todos where workspace_id = $1) limit 1`;
    const [at] = await db.rows<{ value: string | number; id: string }>(middle, [viewer.workspaceId]);
    if (!at) throw new Error('The giant workspace has no todos');
    for (const [filter, given] of filters) {
      for (const order of ['asc', 'desc'] as const) {
        for (const depth of ['first', 'deep'] as const) {
          // Todos without a priority come after all others.
          const value = sort === 'priority' && filter === 'no priority' ? null : at.value;
          const after: Walk['after'] = depth === 'deep' ? [value, at.id] : undefined;
          const walk: Walk = { viewer, criteria: criteriaOf(viewer, given), sort: sorts[sort], order, after };
          const statement = pageStatement(walk, page);
          let ms = Number.POSITIVE_INFINITY;
          for (let n = 0; n < times; n++) {
            const begun = performance.now();
            await db.rows(statement.text, statement.values, statement.plan);
            ms = Math.min(ms, performance.now() - begun);
          }
          figures.push({ filter, sort, order, depth, ms, buffers: (await buffersOf(database.db, statement)).buffers });
        }
      }
    }
    print(`  pages by ${sort.padEnd(12)} at most ${tenths(Math.max(...figures.map(({ ms }) => ms)))} ms until now`);
  }
  return figures;
}

/** The pages as Markdown: how many miss the target, and the slowest. */
export function reportPages(figures: readonly PageFigure[], { giant }: Options): string {
  const all = figures.map(({ ms }) => ms);
  const missed = all.filter((ms) => ms > targetMs).length;
  const count = (names: (figure: PageFigure) => string) => new Set(figures.map(names)).size;
  const rows = figures
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, named)
    .map(({ filter, sort, order, depth, ms, buffers }) => [
      filter,
      sort,
      order,
      depth,
      ms > targetMs ? `**${tenths(ms)}**` : tenths(ms),
      whole(buffers),
    ]);
  return `### Pages of any filter and sort

${figures.length} pages: ${count(({ filter }) => filter)} filters in ${count(({ sort }) => sort)} orders, up and down, the first
page and one from the middle, among ${whole(giant)} todos of one workspace. The lowest of ${times} times in the database, one
at a time: ${tenths(quantile(all, 0.5))} ms (median), ${tenths(quantile(all, 0.95))} ms (p95); ${missed} of them take more than
${targetMs} ms (target: none). The slowest:

${table(['filter', 'sort', 'order', 'page', 'ms', 'buffers'], rows)}`;
}
