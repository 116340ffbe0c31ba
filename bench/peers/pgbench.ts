import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { serviceOrigin } from '../../db/origin.ts';
import { hashSecret } from '../../db/secrets.ts';
import type { Context } from '../../domain/context.ts';
import { createPlain } from '../../domain/todos/create-plain.ts';
import { criteriaOf } from '../../domain/todos/filter.ts';
import { pageStatement } from '../../domain/todos/list.ts';
import { findTodo } from '../../domain/todos/rows.ts';
import { sorts } from '../../domain/todos/walk.ts';
import { admission } from '../../server/access/admission.ts';
import type { Workload } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { decimals, fine, median, quotient } from '../harness/figures.ts';
import type { Call, Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { literalOf } from '../harness/plans.ts';
import type { Server } from '../harness/servers.ts';
import type { Owner } from '../harness/spaces.ts';
import { askedOf } from './todos.ts';

const run = promisify(execFile);

/** The service beside pgbench, which sends the same two statements for each request. */
export interface PgbenchFigure {
  name: string;
  target: number | undefined;
  service: number;
  pgbench: number;
  ratio: number;
}

interface Field {
  database: BenchDatabase;
  service: Server;
  loader: Loader;
  owners: ReadonlyMap<string, Owner>;
  workloads: readonly Workload[];
}

const targets: Record<string, number> = { getTodo: 0.5, 'listTodos newest': 0.5, createTodo: 0.65 };

/** pgbench of the newest PostgreSQL here, which embedded PostgreSQL does not have; undefined where there is none. */
function pgbenchPath(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pgbench'));
  const installed = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse();
  return [...onPath, ...installed].find((path) => existsSync(path));
}

/** A statement with its values in it; `fresh` replaces ids, also within a text. */
function scriptOf({ text, values }: Sent, fresh = new Map<string, string>()): string {
  const script = text.replace(/\$(\d+)/g, (_, place: string) => {
    const written = literalOf(values[Number(place) - 1]);
    const made = written.replace(uuids, (id) => (fresh.has(id) ? `' || ${fresh.get(id)} || '` : id));
    return made === written ? written : `(${made})${/^'[0-9a-f-]{36}'$/.test(written) ? '::uuid' : ''}`;
  });
  return `${script};\n`;
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

interface Sent {
  text: string;
  values: readonly unknown[];
}

const wanted = new Error('Only the statement is wanted');

/** The statement that `work` sends first. */
async function sentBy(work: (db: never) => Promise<unknown>): Promise<Sent> {
  const sent: Sent[] = [];
  const rows = async (text: string, values: readonly unknown[]) => {
    sent.push({ text, values });
    throw wanted;
  };
  await work({ rows, lookUp: rows, origin: serviceOrigin() } as never).catch((error: unknown) => {
    if (error !== wanted) throw error;
  });
  const [first] = sent;
  if (!first) throw new Error('It sent no statement');
  return first;
}

/** A UUID of this time, another one for each request. */
const fresh = (uuid: string, part: string) =>
  `('${uuid.slice(0, 18)}-8' || substr(md5(:n::text || '${part}'), 1, 3) || '-' || substr(md5(:n::text || '${part}'), 4, 12))`;

/** A request as two statements: the check of its key, and its work. */
async function scriptFor(call: Call, owners: Field['owners']): Promise<string> {
  const secret = hashSecret(call.key).toString('hex');
  const values = [[0], [secret], [secret], [1], 1_000_000];
  const gate = scriptOf({ text: admission, values });
  const asked = askedOf(call, owners);
  const owner = owners.get(call.key);
  if (!owner) throw new Error('A key of nobody');
  const { workspaceId, userId } = owner;
  if (asked.kind === 'get') return gate + scriptOf(await sentBy((db) => findTodo(db, workspaceId, asked.todoId)));
  if (asked.kind === 'list') {
    const walk = {
      viewer: owner,
      criteria: criteriaOf(owner, {}),
      sort: sorts.createdAt,
      order: 'desc',
      after: undefined,
    } as const;
    return gate + scriptOf(pageStatement(walk, 26));
  }
  const todo = { ...(JSON.parse(call.body ?? '{}') as object), type: 'task' } as never;
  const principal = { workspaceId, userId, kind: 'api_key', scopes: new Set() };
  const sent = await sentBy((db) => createPlain({ db, principal } as unknown as Context, todo));
  const ids = sent.values.flatMap((value) => [...literalOf(value).matchAll(uuids)].map(([id]) => id));
  const own = [...new Set(ids)].filter((id) => id !== workspaceId && id !== userId);
  const replaced = new Map(own.map((id, place) => [id, fresh(id, `${place}`)]));
  return `\\set n random(1, 9000000000000000000)\n${gate}${scriptOf(sent, replaced)}`;
}

/** Sends the scripts of `folder` for some seconds, each as often as the others. Returns transactions per second. */
async function rateOf(path: string, url: string, folder: string, scripts: number, options: Options): Promise<number> {
  const files = Array.from({ length: scripts }, (_, place) => ['-f', join(folder, `${place}.sql`)]).flat();
  const args = `-n -M prepared -j 2 -c ${options.connections} -T ${options.seconds}`.split(' ');
  const env = { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c jit=off -c timezone=UTC' };
  const { stdout } = await run(path, [...args, ...files, url], { env, maxBuffer: 1e8 });
  const [, failed] = /number of failed transactions: (\d+)/.exec(stdout) ?? [];
  if (failed !== '0') throw new Error(`pgbench failed: ${stdout.slice(-500)}`);
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}

/** Scripts of one workload: each connection prepares the statements of all of them anew in each round. */
const maxScripts = 10;

/** Measures the service and pgbench in turn; nothing where pgbench is not installed. */
export async function measurePgbench(field: Field, options: Options, print: (line: string) => void) {
  const path = pgbenchPath();
  if (!path) print('  pgbench is not installed');
  if (!path) return [];
  const { database, service, loader, owners, workloads } = field;
  const found: PgbenchFigure[] = [];
  for (const { name, calls } of workloads) {
    const folder = await mkdtemp(join(tmpdir(), 'tandem-pgbench-'));
    try {
      const chosen = calls.slice(0, maxScripts);
      for (const [place, call] of chosen.entries()) {
        await writeFile(join(folder, `${place}.sql`), await scriptFor(call, owners));
      }
      const rates: [number, number][] = [];
      for (let round = 0; round < options.rounds; round++) {
        const { perSecond } = await loader.load(service.url, chosen, options.connections, options.seconds);
        rates.push([perSecond, await rateOf(path, database.url, folder, chosen.length, options)]);
      }
      const ratio = median(rates.map(([mine, other]) => quotient(mine, other)));
      const [mine, other] = [median(rates.map(([one]) => one)), median(rates.map(([, two]) => two))];
      found.push({ name, target: targets[name], service: mine, pgbench: other, ratio });
      print(`  ${name.padEnd(20)} ${decimals(mine, 0)} req/s, ${fine(ratio)} of pgbench`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return found;
}
