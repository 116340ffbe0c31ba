import { type Comparison, compare, type Workload } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { decimals, fine } from '../harness/figures.ts';
import { Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { type Server, startCeiling, startService } from '../harness/servers.ts';
import { ownersOf, sampleSpaces } from '../harness/spaces.ts';
import { deleteNewTodos } from '../requests/index.ts';
import { answerOf, verify } from '../requests/verify.ts';
import { workloadsOf } from '../requests/workloads.ts';
import { startDirectus } from './directus.ts';
import { installPeers } from './packages.ts';
import { measurePgbench, type PgbenchFigure } from './pgbench.ts';
import { startPostGraphile } from './postgraphile.ts';
import { askedOf, copyTodos, dropTodos, type Peer } from './todos.ts';

/** The service beside one other program, or one other way to write it. */
export interface PeerFigure {
  name: string;
  comparison: Comparison;
}

export interface PeerFigures {
  found: PeerFigure[];
  pgbench: PgbenchFigure[];
}

/** What the service is to reach, as times of the other. */
const targets: Record<string, Record<string, number>> = {
  Directus: { 'listTodos newest': 12 },
  idiomatic: { 'listTodos newest': 1.7, getTodo: 2.2, 'getTodo, one key': 5 },
};

const compared = ['getTodo', 'listTodos newest', 'createTodo'];
/** Connections of requests with one key. */
const hotConnections = 100;

function idsOf(answer: unknown): string[] {
  const { data, id } = answer as { data?: { id: string }[]; id?: string };
  return data?.map((todo) => todo.id) ?? [id ?? ''];
}

/** @throws Error where a peer returns other todos than the service. */
async function verifyPeer(service: Server, peer: Peer, ours: Workload, theirs: Workload): Promise<void> {
  for (const [place, call] of ours.calls.slice(0, 10).entries()) {
    const other = theirs.calls[place];
    if (!other) throw new Error(`${ours.name} has other calls for ${peer.name}`);
    const found = peer.idsOf(await answerOf(peer.server.url, other));
    if (call.method === 'POST' ? found.length === 1 : `${found}` === `${idsOf(await answerOf(service.url, call))}`)
      continue;
    throw new Error(`${peer.name} returns other todos than the service for ${call.method} ${call.path}: ${found}`);
  }
}

/** Every request with the key of the giant workspace, for which all of them wait. */
function withOneKey({ calls, ...workload }: Workload): Workload {
  const [first] = calls;
  return { ...workload, name: `${workload.name}, one key`, calls: calls.filter(({ key }) => key === first?.key) };
}

/**
 * Measures the service beside other programs on the same todos, beside an endpoint as it is usually written, and beside
 * `pgbench` with the statements of the service.
 */
export async function measurePeers(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<PeerFigures> {
  const folder = await installPeers(print);
  const [{ now: begun } = { now: '' }] = await database.db.rows<{ now: string }>('select now()', []);
  const stops: (() => unknown)[] = [];
  const found: PeerFigure[] = [];
  try {
    await copyTodos(database);
    stops.push(() => dropTodos(database));
    const [key = ''] = database.keys;
    const service = await startService({ DATABASE_URL: database.url }, key);
    stops.push(service.stop);
    const loader = new Loader();
    stops.push(() => loader.close());
    const spaces = await sampleSpaces(database, 100);
    const owners = await ownersOf(
      database,
      spaces.map((space) => space.key),
    );
    const wanted = (await workloadsOf(service.url, spaces)).filter(({ name }) => compared.includes(name));
    const add = async (name: string, server: Server, ours: Workload, theirs: Workload, connections: number) => {
      const mine = { ...ours, target: targets[name]?.[ours.name] };
      const comparison = await compare(loader, [service, server], [mine, theirs], { ...options, connections });
      found.push({ name, comparison });
      const { ratio, service: side } = comparison;
      print(`  ${ours.name.padEnd(20)} ${decimals(side.perSecond, 0)} req/s, ${fine(ratio)} times ${name}`);
    };
    const idiomatic = await startCeiling('bench/peers/idiomatic.ts', { DATABASE_URL: database.url }, key);
    stops.push(idiomatic.stop);
    for (const ours of wanted) {
      await verify(service.url, idiomatic.url, ours, ours, 20);
      await add('idiomatic', idiomatic, ours, ours, options.connections);
      if (ours.name === 'getTodo') {
        await add('idiomatic', idiomatic, withOneKey(ours), withOneKey(ours), hotConnections);
      }
    }
    await idiomatic.stop();
    for (const start of [startDirectus, startPostGraphile]) {
      // Also those that were created for the last one.
      await copyTodos(database);
      const peer = await start(folder, database.url);
      stops.push(peer.server.stop);
      for (const ours of wanted) {
        const theirs = { ...ours, calls: ours.calls.map((call) => peer.callOf(askedOf(call, owners))) };
        await verifyPeer(service, peer, ours, theirs);
        await add(peer.name, peer.server, ours, theirs, options.connections);
      }
      await peer.server.stop();
    }
    const pgbench = await measurePgbench({ database, service, loader, owners, workloads: wanted }, options, print);
    return { found, pgbench };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await deleteNewTodos(database, begun);
  }
}
