import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDatabase } from '../harness/database.ts';
import { quantile } from '../harness/figures.ts';
import { cpuOf, type Server } from '../harness/servers.ts';
import { type Held, heldBy } from './heap.ts';
import type { Model } from './model.ts';
import { jobsLeft, settled } from './place.ts';
import { clockMs } from './tokens.ts';
import { errorsIn, type Field } from './turns.ts';

/** Connections of the service by what they do. */
export interface Connections {
  open: number;
  /** In a statement or a transaction. */
  busy: number;
}

/** What requests cost that wait for their agent. */
export interface Waiting {
  waiters: number;
  /** Turns that the service works on meanwhile; the others wait for a worker. */
  atWork: number;
  before: Held;
  during: Held;
  connectionsBefore: Connections;
  /** The most of all samples. */
  connectionsDuring: Connections;
  /** Of one core, while nothing happens but waiting. */
  cpuShare: number;
  /** Milliseconds from the news that a chat settled to the whole answer of its waiter. */
  answeredP50: number;
  answeredMax: number;
  /** Seconds from letting the model go to the last answer. */
  allAnswered: number;
  errors: number;
}

const connections = `select count(*)::int as open, (count(*) filter (where state <> 'idle'))::int as busy
  from pg_stat_activity where application_name in ('tandem', 'tandem listener')`;

async function connectionsOf({ db }: BenchDatabase): Promise<Connections> {
  const [row] = await db.rows<Connections>(connections, []);
  return row ?? { open: 0, busy: 0 };
}

/** Chats that are at work, or wait for a worker. */
async function openTurns({ db }: BenchDatabase): Promise<number> {
  const [row] = await db.rows<{ n: number }>('select count(*)::int as n from chat_turns where ended_at is null', []);
  return row?.n ?? 0;
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const begun = clockMs(); !(await holds()); await sleep(50))
    if (clockMs() - begun > 80_000) throw new Error(`It never came to that: ${what}.`);
}

/** Watches the service while nothing happens but waiting. */
async function idle(database: BenchDatabase, service: Server, seconds: number) {
  const [cpu, since] = [await cpuOf(service.pid), clockMs()];
  const most: Connections = { open: 0, busy: 0 };
  while (clockMs() - since < seconds * 1000) {
    await sleep(100);
    const { open, busy } = await connectionsOf(database);
    Object.assign(most, { open: Math.max(most.open, open), busy: Math.max(most.busy, busy) });
  }
  return { most, cpuShare: ((await cpuOf(service.pid)) - cpu) / (clockMs() - since) };
}

/**
 * `waiters` requests of createChat with waitSeconds at a time, whose model holds its answers until all wait. The
 * service must be started with its inspector at `inspector`.
 */
export async function measureWaiting(field: Field, service: Server, model: Model, inspector: number): Promise<Waiting> {
  const { database, clients, keys, options } = field;
  const { waiters } = options;
  const order = { url: service.url, keys, message: 'Hello there', chatsOnly: true };
  await clients.converse({ ...order, inFlight: options.connections, turns: 4 * options.connections });
  await settled(database, 'service');
  const [before, connectionsBefore] = [await heldBy(inspector), await connectionsOf(database)];

  const settledAt = new Map<string, number>();
  const listener = await database.db.driver.listen('tandem_live', (payload) => {
    const { kind, chatId } = JSON.parse(payload) as { kind: string; chatId?: string };
    if (kind === 'status' && chatId) settledAt.set(chatId, clockMs());
  });
  await model.order('hold');
  const conversing = clients.converse({ ...order, inFlight: waiters, turns: waiters });
  // Until the model lets go nobody looks at it.
  conversing.catch(() => {});
  await until(async () => (await openTurns(database)) >= waiters, 'all chats are at work');
  // Their titles; what is left then are the turns that are held, or wait for a worker.
  await until(async () => (await jobsLeft(database, 'service')) <= waiters, 'all titles are written');
  const during = await heldBy(inspector);
  const { most, cpuShare } = await idle(database, service, Math.min(10, options.seconds * 2.5));
  const { held } = await model.order('report');

  const released = clockMs();
  await model.order('release');
  const turns = await conversing;
  const allAnswered = (Math.max(...turns.map(({ answeredAt }) => answeredAt)) - released) / 1000;
  await settled(database, 'service');
  await listener.unlisten();
  const lags = turns.map(({ chatId, answeredAt }) => answeredAt - (settledAt.get(chatId ?? '') ?? Number.NaN));
  const known = lags.filter((lag) => !Number.isNaN(lag));
  return {
    waiters,
    atWork: held,
    before,
    during,
    connectionsBefore,
    connectionsDuring: most,
    cpuShare,
    answeredP50: quantile(known, 0.5),
    answeredMax: Math.max(...known),
    allAnswered,
    errors: Math.max(errorsIn(turns), lags.length - known.length),
  };
}
