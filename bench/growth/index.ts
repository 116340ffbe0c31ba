import type { Database } from '../../db/client.ts';
import { sweepEvents } from '../../domain/events/retention.ts';
import { sumDaysOfAll, sweepWork } from '../../server/sweeps.ts';
import { type BenchDatabase, openBenchDatabase } from '../harness/database.ts';
import { tenths, whole } from '../harness/figures.ts';
import { type Call, Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { startService } from '../harness/servers.ts';
import { addHistory, type History, messagesPerChat } from './fill.ts';

/** Tables that grow with the work of agents, as they are reported. */
export const growing = [
  'messages',
  'events',
  'chats',
  'chat_turns',
  'minute_entries',
  'minute_days',
  'approvals',
  'todo_runs',
] as const;
export type Growing = (typeof growing)[number];

/** Rows of a table, and its bytes with those of what is stored apart, without and in its indexes. */
export interface TableSize {
  rows: number;
  heap: number;
  indexes: number;
}
export type Sizes = Record<Growing, TableSize>;

/** A request that was measured, one at a time, in ms. */
export interface RequestTimes {
  name: string;
  p50: number;
  p99: number;
}

/** A size of the history, what it takes, and the times of requests in its giant workspace. */
export interface Stage {
  name: string;
  sizes: Sizes;
  times: RequestTimes[];
  /** Requests that failed. */
  errors: number;
}

export interface GrowthFigures {
  chats: number;
  workspaces: number;
  stages: Stage[];
  /** Seconds that the sweeps took which deleted and summed up what is older than `keptDays`. */
  workSeconds: number;
  eventSeconds: number;
  /** Seconds that it took to sum up the ledger of all days. */
  sumSeconds: number;
}

/** For how many days the last stage keeps what has a setting. */
export const keptDays = 30;

const sizeOf = `select relname as name, reltuples::float8 as rows, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
  from pg_class where relname = any($1) and relkind = 'r'`;

async function sizesOf(db: Database): Promise<Sizes> {
  const rows = await db.rows<TableSize & { name: Growing }>(sizeOf, [[...growing]]);
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size])) as Sizes;
}

interface Subject {
  chatId: string;
  latest: number;
  todoId: string;
  day: string;
}

// The newest chat of the giant workspace, and a todo that was run as often as any.
const subject = `select c.id as "chatId", p.latest, r.todo_id as "todoId", c.created_at::date::text as day
  from (select id, created_at from chats where workspace_id = $1 order by last_message_at desc limit 1) c
    cross join lateral (select latest::float8 from event_positions where workspace_id = $1) p
    cross join lateral (select todo_id from todo_runs where workspace_id = $1 order by started_at desc limit 1) r`;

const dayBefore = (day: string, days: number) => new Date(Date.parse(day) - days * 864e5).toISOString().slice(0, 10);

async function requestsOn(db: Database, { giant }: History): Promise<[name: string, request: Omit<Call, 'key'>][]> {
  const [found] = await db.rows<Subject>(subject, [giant]);
  if (!found) throw new Error('The history has no chat');
  const { chatId, latest, todoId, day } = found;
  const get = (path: string) => ({ method: 'GET' as const, path });
  const body = JSON.stringify({ title: 'Call the supplier' });
  return [
    ['listChats', get('/chats?limit=50')],
    ['listMessages', get(`/chats/${chatId}/messages?limit=50`)],
    ['listEvents, the newest 50', get(`/events?limit=50&afterSequence=${latest - 50}`)],
    ['listEvents of one chat', get(`/events?limit=50&resourceId=${chatId}`)],
    ['listTodoRuns', get(`/todos/${todoId}/runs?limit=50`)],
    ['listApprovals', get('/approvals?limit=50')],
    ['getUsage, 30 days', get(`/usage?from=${dayBefore(day, 29)}&to=${day}`)],
    ['getUsage, 366 days', get(`/usage?from=${dayBefore(day, 365)}&to=${day}`)],
    ['createTodo', { method: 'POST', path: '/todos', body }],
  ];
}

async function timesOf(
  { url, keys, db }: BenchDatabase,
  history: History,
  probes: number,
): Promise<Omit<Stage, 'name' | 'sizes'>> {
  const [key = ''] = keys;
  const requests = await requestsOn(db, history);
  const service = await startService({ DATABASE_URL: url, AGENT_CONCURRENCY: '0' }, key);
  const loader = new Loader();
  try {
    const calls = requests.map(([, call]) => ({ ...call, key }));
    await loader.probe(service.url, calls, calls.length * 10, calls.length);
    const results = await loader.probe(service.url, calls, calls.length * probes, calls.length);
    const times = requests.map(([name], n) => {
      const { p50 = Number.NaN, p99 = Number.NaN } = results[n] ?? {};
      return { name, p50, p99 };
    });
    // Those of all, with each.
    return { times, errors: results[0]?.errors ?? 0 };
  } finally {
    loader.close();
    await service.stop();
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function historyOf({ db, keys }: BenchDatabase, { workspaces, messages }: Options): Promise<History> {
  const text = `select workspace_id as id from credentials where secret_hash = sha256(convert_to($1, 'UTF8'))`;
  const [row] = await db.rows<{ id: string }>(text, [keys[0]]);
  if (!row) throw new Error('The giant workspace has no key');
  return { chats: Math.ceil(messages / messagesPerChat), workspaces, giant: row.id };
}

/**
 * Fills a database of its own with a tenth of a history of two years and with all of it, then keeps only the last days,
 * and measures tables and requests each time.
 */
export async function measureGrowth(options: Options, print: (line: string) => void): Promise<GrowthFigures> {
  const database = await openBenchDatabase({ ...options, data: undefined }, () => {});
  const { db } = database;
  try {
    const history = await historyOf(database, options);
    const stages: Stage[] = [];
    const stage = async (name: string) => {
      const sizes = await sizesOf(db);
      stages.push({ name, sizes, ...(await timesOf(database, history, options.probes)) });
      print(`  growth: ${name}: ${whole(sizes.messages.rows)} messages, ${whole(sizes.events.rows)} events`);
    };
    const maintenance = db.for('maintenance');
    let sumSeconds = 0;
    const tenth = Math.ceil(history.chats / 10);
    for (const [from, to] of [
      [0, tenth],
      [tenth, history.chats],
    ] as const) {
      const filled = await seconds(() => addHistory(db, history, from, to));
      print(`  growth: ${whole(to - from)} chats added in ${tenths(filled)} s`);
      // The history is made without triggers.
      await db.rows('delete from minute_positions', []);
      sumSeconds = await seconds(() => sumDaysOfAll(maintenance));
      await db.driver.unsafe('vacuum (analyze) minute_days');
      await stage(to === history.chats ? 'all' : 'a tenth');
    }
    const days = { runDays: keptDays, approvalDays: keptDays, turnDays: keptDays, minuteDetailDays: keptDays };
    const workSeconds = await seconds(() => sweepWork(maintenance, days));
    // What the sweep recorded gets its numbers from a service; the old events go before.
    const eventSeconds = await seconds(() => sweepEvents(maintenance, { eventDays: keptDays, auditDays: keptDays }));
    for (const table of growing) await db.driver.unsafe(`vacuum (full, analyze) ${table}`);
    await stage(`of the last ${keptDays} days`);
    return { chats: history.chats, workspaces: options.workspaces, stages, workSeconds, eventSeconds, sumSeconds };
  } finally {
    await database.stop();
    await database.remove();
  }
}

/** Number of failed requests. */
export function growthErrors({ stages }: GrowthFigures): number {
  return stages.reduce((sum, { errors }) => sum + errors, 0);
}
