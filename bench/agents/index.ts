import type { BenchDatabase } from '../harness/database.ts';
import { decimals } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { freePort, type Server, startCeiling, startService } from '../harness/servers.ts';
import { Clients } from './chats.ts';
import { type FirstStep, measureFirstStep } from './first-step.ts';
import { Model } from './model.ts';
import { prepare, settled, tidy } from './place.ts';
import { type Errand, type Field, measureTurns, type TurnsResult, verifyTurns } from './turns.ts';
import { measureWaiting, type Waiting } from './waiting.ts';
import { openWire, type Traffic } from './wire.ts';

export interface AgentsResult {
  turns: TurnsResult[];
  /** Of one turn of a chat of five: what went to the database, titles and all. */
  perTurn: Traffic;
  firstSteps: FirstStep[];
  waiting: Waiting;
}

const hello = { message: 'Hello there', todos: 0 };
const milk = { message: 'Make a todo: Buy milk', todos: 1 };
const answers: Errand = { name: 'instant model: one answer', ...hello };
const makesTodo: Errand = { name: 'instant model: create_todo, then an answer', ...milk };
const answersItself: Errand = { name: 'built-in engine: one answer', ...hello };
const makesTodoItself: Errand = { name: 'built-in engine: create_todo, then an answer', ...milk };

/** Starts a server for as long as `work` takes. */
async function using<Result>(starting: Promise<Server>, work: (server: Server) => Promise<Result>): Promise<Result> {
  const server = await starting;
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** What a turn sends to the database, counted on the wire. */
async function countTraffic(field: Field, settings: Record<string, string>): Promise<Traffic> {
  const { clients, keys, database, options } = field;
  const wire = await openWire(database.url);
  try {
    return await using(startService({ ...settings, DATABASE_URL: wire.url }, keys[0] ?? ''), async ({ url }) => {
      const order = { url, keys, message: answers.message, inFlight: options.connections };
      const converse = async (turns: number) => {
        const { length } = await clients.converse({ ...order, turns });
        await settled(database, 'service');
        return length;
      };
      // Until every connection has prepared its statements.
      await converse(options.connections * 5);
      const { statements, sends } = wire;
      const turns = await converse(options.connections * 10);
      return { statements: (wire.statements - statements) / turns, sends: (wire.sends - sends) / turns };
    });
  } finally {
    await wire.close();
  }
}

/** Agents at work: turns a second, the way to the first step, and what waiting costs. */
export async function measureAgents(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<AgentsResult> {
  const {
    url,
    db,
    keys: [key = ''],
  } = database;
  const keys = database.keys.slice(0, 100);
  const [{ now: begun } = { now: '' }] = await db.rows<{ now: string }>('select now()', []);
  const [model, clients] = [new Model(), new Clients()];
  const field: Field = { database, clients, keys, options };
  const turns: TurnsResult[] = [];
  const add = (result: TurnsResult) => {
    turns.push(result);
    print(
      `  ${result.errand.name.padEnd(46)} ${decimals(result.service.perSecond, 0)} turns/s, ${result.service.errors} errors`,
    );
  };
  try {
    const settings = await model.settings();
    const environment = { ...settings, DATABASE_URL: url };
    await prepare(database);
    const firstSteps = await using(startService(environment, key), async (service) => {
      await using(startCeiling('bench/agents/ceiling.ts', environment, key), async (ceiling) => {
        await verifyTurns(field, answers, service, ceiling);
        add(await measureTurns(field, answers, service, ceiling));
      });
      add(await measureTurns(field, makesTodo, service));
      const alone = await measureFirstStep(field, service, model, 1, options.probes);
      return [alone, await measureFirstStep(field, service, model, 16, options.probes * 2)];
    });
    const inspector = await freePort();
    const inspected = { ...environment, NODE_OPTIONS: `--inspect=127.0.0.1:${inspector} --inspect-publish-uid=http` };
    const waiting = await using(startService(inspected, key), (service) =>
      measureWaiting(field, service, model, inspector),
    );
    await using(startService({ DATABASE_URL: url }, key), async (service) => {
      add(await measureTurns(field, answersItself, service));
      add(await measureTurns(field, makesTodoItself, service));
    });
    return { turns, perTurn: await countTraffic(field, settings), firstSteps, waiting };
  } finally {
    clients.close();
    model.close();
    await tidy(database, begun);
  }
}

/** Turns and requests that failed, of both. */
export function agentErrors({ turns, firstSteps, waiting }: AgentsResult): number {
  const paces = turns.flatMap(({ service, ceiling }) => (ceiling ? [service, ceiling] : [service]));
  return [...paces, ...firstSteps, waiting].reduce((sum, { errors }) => sum + errors, 0);
}
