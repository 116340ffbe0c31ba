import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { type EmbeddedDatabase, openEmbedded } from '../../db/embedded/index.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { effectModel, type Load, suggestion, work } from '../support/killed-load.ts';
import { Killer } from '../support/killer.ts';
import { assertLaws } from '../support/laws.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { stopProcesses } from '../support/processes.ts';
import { countOf, isFull } from '../support/proof-size.ts';
import { until } from '../support/until.ts';
import { WriteLedger } from '../support/write-ledger.ts';

/*
 * KILLS times kill -9 of a service, DATABASE_KILLS times of PostgreSQL, FREEZES of a service past its leases, while
 * clients write batches and captures, follow chats, approve and schedule. PostgreSQL runs with its usual durability, in
 * a directory of its own.
 */

const blows = {
  kills: countOf('KILLS', { ci: 5, full: 200 }),
  databaseKills: countOf('DATABASE_KILLS', { ci: 1, full: 20 }),
  freezes: countOf('FREEZES', { ci: 1, full: 10 }),
};
const services = 3;
/** Seconds from the last blow until nothing is open any more. */
const maxSettleSeconds = 20;
const minutes = 1_000_000;

const test = suite('kill -9 of everything');
const unwatch = surviveLostConnections({ warn: () => {} });
let dataDir: string;
let embedded: EmbeddedDatabase;
let model: ModelServer;
let killer: Killer;
let db: Database;

test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tandem-kills-'));
  embedded = await openEmbedded({ dataDir });
  model = await startModelServer('openai-compatible', effectModel, { keep: false });
  const ai = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: model.url, AI_API_KEY: 'none', AI_MODEL: 'any' };
  killer = new Killer({ DATABASE_URL: embedded.url, ...ai }, dataDir);
  await killer.start(services);
  db = connect(embedded.url, { poolSize: 2 });
});
test.after(async () => {
  await killer?.stop();
  await stopProcesses();
  await db?.close();
  await model?.close();
  await embedded?.stop();
  await rm(dataDir, { recursive: true, force: true });
  unwatch();
});

async function newLoad(): Promise<Load & { workspaceId: string }> {
  const seed = { workspaceName: 'Test', userName: 'Tess', timezone: 'UTC', email: 'tess@example.com' };
  const { workspaceId, userId } = await createWorkspace(db, { ...seed, agentMinutes: minutes, passwordHash: 'none' });
  const made = { workspaceId, userId, name: 'Test key', scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  const { secret: key } = await createApiKey(db, made);
  const any = () => killer.any();
  const ledger = new WriteLedger(any, key);
  const agent = async (name: string, requiresApproval: boolean) =>
    (await ledger.write('POST /agents', { name, requiresApproval }, name)).id as string;
  const [free, careful] = [await agent('Free', false), await agent('Careful', true)];
  const done = { titles: [], captures: [], chats: [], scheduled: [], reconnections: 0 };
  return { workspaceId, ledger, any, key, free, careful, done };
}

const open = `select 'turn' as what, id::text as id from chat_turns where workspace_id = $1 and ended_at is null
  union all select 'run', id::text from todo_runs where workspace_id = $1 and status = 'running'
  union all select 'capture', id::text from captures where workspace_id = $1 and status <> 'completed'
  union all select 'capture work', capture_id::text from capture_work where workspace_id = $1
  union all select 'schedule', todo_id::text from todo_schedules where workspace_id = $1 and next_run_at is not null
  union all select 'digest', subject_id::text from digests where workspace_id = $1`;

/** Rows of a statement; asked again when the database was just killed. */
async function rowsOf<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  let rows: Row[] | undefined;
  await until(
    async () => {
      rows = await db.rows<Row>(text, values).catch(() => undefined);
      return rows;
    },
    () => text,
  );
  return rows ?? [];
}

test(`${blows.kills} kills, ${blows.databaseKills} of PostgreSQL, ${blows.freezes} freezes: nothing acknowledged is lost, doubled or stuck`, async () => {
  const load = await newLoad();
  const { workspaceId, ledger, done } = load;
  let isOver = false;
  const striking = killer.strike(blows).finally(() => {
    isOver = true;
  });
  await Promise.all([striking, work(load, () => isOver)]);
  let left: object[] = [];
  await until(
    async () => {
      left = await rowsOf(open, [workspaceId]);
      return left.length === 0;
    },
    () => `nothing is open; ${JSON.stringify(left.slice(0, 5))}`,
  );
  const settled = (performance.now() - killer.lastBlowAt) / 1000;
  const refused = [...ledger.refused].map(([status, count]) => `${status || 'no answer'}: ${count}`);
  process.stdout.write(
    `${ledger.acknowledged.size} writes, ${done.chats.length} chats over ${done.reconnections} connections, refused ${refused.join(', ')}; settled after ${settled.toFixed(1)} s `,
  );

  const todos = await rowsOf<{ id: string; title: string }>(
    'select id, title from todos where workspace_id = $1 and capture_id is null order by title',
    [workspaceId],
  );
  assert.equal(
    todos.map(({ title }) => title),
    done.titles.toSorted(),
    'every effect, once',
  );
  const suggested = await rowsOf<{ id: string; todos: string[] | null }>(
    `select c.id, (select array_agg(t.title) from todos t where t.workspace_id = $1 and t.capture_id = c.id) as todos
     from captures c where c.workspace_id = $1 order by c.id`,
    [workspaceId],
  );
  assert.equal(
    suggested.map(({ id }) => id),
    done.captures.toSorted(),
    'every capture, once',
  );
  for (const { todos: titles } of suggested) assert.equal(titles, [suggestion]);
  const ids = new Set([...todos, ...suggested].map(({ id }) => id));
  const rows = await rowsOf<{ id: string }>(
    'select id from chats where workspace_id = $1 union all select id from agents where workspace_id = $1',
    [workspaceId],
  );
  for (const { id } of rows) ids.add(id);
  for (const [key, acknowledged] of ledger.acknowledged)
    for (const id of acknowledged) assert.ok(ids.has(id), `${key} was acknowledged as ${id} and is gone`);
  const runs = await rowsOf<{ id: string; count: number }>(
    `select todo_id as id, count(*)::int as count from todo_runs where workspace_id = $1 group by todo_id order by 1`,
    [workspaceId],
  );
  assert.equal(
    runs.map(({ id, count }) => [id, count]),
    done.scheduled.toSorted().map((id) => [id, 1]),
  );
  const outcomes = await rowsOf<{ outcome: string }>(
    'select distinct outcome from chat_turns where workspace_id = $1',
    [workspaceId],
  );
  assert.equal(
    outcomes.map(({ outcome }) => outcome),
    ['completed'],
  );
  await assertLaws(db, workspaceId);
  if (isFull) assert.ok(settled <= maxSettleSeconds, `settled ${settled.toFixed(1)} s after the last blow`);
});

test.run();
