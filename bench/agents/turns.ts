import type { BenchDatabase } from '../harness/database.ts';
import { median, quantile, quotient } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { cpuOf, type Server } from '../harness/servers.ts';
import type { Clients, Turn } from './chats.ts';
import { leftBy, settled, type Target } from './place.ts';
import { clockMs } from './tokens.ts';

/** What people write to their agents. */
export interface Errand {
  name: string;
  message: string;
  /** Todos that each of their turns must make. */
  todos: number;
}

/** One round: turns a second until their titles and subtitles were written too, milliseconds to the answer. */
export interface Pace {
  turns: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU milliseconds of the process per turn, all in. */
  cpu: number;
  errors: number;
}

export interface TurnsResult {
  errand: Errand;
  service: Pace;
  ceiling?: Pace;
  /** Of each round: service to ceiling. */
  ratios: number[];
}

export interface Field {
  database: BenchDatabase;
  clients: Clients;
  keys: string[];
  options: Options;
}

/** Turns for `seconds`, and the wait until nothing is left to do. */
async function round(
  field: Field,
  server: Server,
  target: Target,
  { message }: Errand,
  seconds: number,
): Promise<Pace> {
  const { clients, keys, database, options } = field;
  const before = await cpuOf(server.pid);
  const turns = await clients.converse({ url: server.url, keys, message, inFlight: options.connections, seconds });
  await settled(database, target);
  const end = clockMs();
  const times = turns.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
  return {
    turns: turns.length,
    perSecond: quotient(turns.length, (end - Math.min(...turns.map(({ sentAt }) => sentAt))) / 1000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpu: quotient((await cpuOf(server.pid)) - before, turns.length),
    errors: errorsIn(turns),
  };
}

export function errorsIn(turns: Turn[]): number {
  return turns.filter(({ ok }) => !ok).length;
}

function middle(rounds: Pace[]): Pace {
  const of = (pick: (pace: Pace) => number) => median(rounds.map(pick));
  const sum = (pick: (pace: Pace) => number) => rounds.reduce((all, each) => all + pick(each), 0);
  const [turns, errors] = [sum((r) => r.turns), sum((r) => r.errors)];
  const [p50, p99] = [of((r) => r.p50), of((r) => r.p99)];
  return { turns, perSecond: of((r) => r.perSecond), p50, p99, cpu: of((r) => r.cpu), errors };
}

const made = `select count(*)::int as n from todos where source = 'agent_created'`;

/** The service, and in turn with it its ceiling when there is one, after a warm-up of each. */
export async function measureTurns(
  field: Field,
  errand: Errand,
  service: Server,
  ceiling?: Server,
): Promise<TurnsResult> {
  const { seconds, rounds } = field.options;
  const todos = async () => (await field.database.db.rows<{ n: number }>(made, []))[0]?.n ?? 0;
  const before = await todos();
  const warmUp = Math.min(2, seconds);
  const warm = [await round(field, service, 'service', errand, warmUp)];
  if (ceiling) warm.push(await round(field, ceiling, 'ceiling', errand, warmUp));
  const [mine, others]: [Pace[], Pace[]] = [[], []];
  for (let turn = 0; turn < rounds; turn++) {
    mine.push(await round(field, service, 'service', errand, seconds));
    if (ceiling) others.push(await round(field, ceiling, 'ceiling', errand, seconds));
  }
  const all = middle([...warm, ...mine, ...others]);
  const sides = { service: middle(mine), ...(ceiling && { ceiling: middle(others) }) };
  const missing = Math.abs((await todos()) - before - errand.todos * all.turns);
  sides.service.errors += missing + warm.reduce((sum, each) => sum + each.errors, 0);
  const ratios = others.map((each, place) => quotient(mine[place]?.perSecond ?? Number.NaN, each.perSecond));
  return { errand, ...sides, ratios };
}

/** @throws Error when the two leave other rows behind for the same chat: then their ratio means nothing. */
export async function verifyTurns(field: Field, { message }: Errand, service: Server, ceiling: Server): Promise<void> {
  const chat = async ({ url }: Server, target: Target) => {
    const keys = field.keys.slice(0, 1);
    const turns = await field.clients.converse({ url, keys, message, inFlight: 1, turns: 3 });
    await settled(field.database, target);
    if (errorsIn(turns) > 0) throw new Error(`The ${target} did not answer a turn.`);
    return leftBy(field.database, turns[0]?.chatId ?? '');
  };
  const [ours, theirs] = [await chat(service, 'service'), await chat(ceiling, 'ceiling')];
  if (ours !== theirs) throw new Error(`The service and the ceiling leave other rows:\n${ours}\n${theirs}`);
}
