import { rm } from 'node:fs/promises';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { distributeTables } from '../../db/engine/distribute.ts';
import { migrate } from '../../db/migrate.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { clusterDatabase, onCluster } from '../support/citus.ts';
import { ask } from '../support/frame.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { launch, startProcess, stopProcesses } from '../support/processes.ts';
import { runScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const test = suite('npm run db:distribute');
const promise = onCluster(test);
let database: Awaited<ReturnType<typeof clusterDatabase>> | undefined;

test.after.each(async () => {
  await stopProcesses();
  await database?.drop();
  database = undefined;
});

async function sqlOf<Row>(url: string, text: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const rows = await sql.unsafe(text);
  await sql.end();
  return [...rows] as Row[];
}

const addTodo = `insert into todos (workspace_id, id, title, todo_list_id, source)
  select workspace_id, gen_random_uuid(), 'Before', id, 'user_created' from todo_lists where workspace_id = $1 and is_default`;

/** A workspace with a todo, made while the database is a plain one. Returns a key. */
async function fill(url: string): Promise<string> {
  const db = connect(url, { engine: 'postgres', poolSize: 2 });
  try {
    const person = { userName: 'Ada', email: 'ada@example.com', passwordHash: '', timezone: 'UTC' };
    const made = await createWorkspace(db, { ...person, workspaceName: 'Before', agentMinutes: 10 });
    await db.rows(addTodo, [made.workspaceId]);
    const key = { name: 'key', scopes: [...scopes], rateLimitPerMinute: 1000 };
    return (await createApiKey(db, { ...key, workspaceId: made.workspaceId, userId: made.userId })).secret;
  } finally {
    await db.close();
  }
}

promise('moves a database with rows; a second time there is nothing to do', async () => {
  database = await clusterDatabase();
  const { url } = database;
  const early = await launch({ DATABASE_URL: url });
  assert.is(early.url, '');
  assert.match(
    early.output(),
    /these tables are not where they belong: .*todos \(distributed\).*npm run db:distribute/s,
  );
  const key = await fill(url);
  const first = await runScript('distribute', [], { DATABASE_URL: url });
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /^todos: distributed$/m);
  assert.match(first.stdout, /^credentials: reference$/m);
  const second = await runScript('distribute', [], { DATABASE_URL: url });
  assert.equal([second.code, second.stdout], [0, 'Every table is in its place.\n']);
  const service = await startProcess({ DATABASE_URL: url });
  const lists = await service.call('GET /todo-lists', key);
  assert.equal([lists.status, lists.body.data.length], [200, 1]);
  const made = await service.call('POST /todos', key, { title: 'After' }, { 'idempotency-key': 'one' });
  assert.is(made.status, 201, made.text);
  const todos = await service.call('GET /todos', key);
  assert.equal(
    todos.body.data.map(({ title }: { title: string }) => title),
    ['After', 'Before'],
  );
  const summary = await service.call('GET /todos/summary', key);
  assert.is(summary.body.total, 2);
  const shards = `select count(*)::int as count from citus_shards where table_name = 'todos'::regclass`;
  assert.ok(((await sqlOf<{ count: number }>(url, shards))[0]?.count ?? 0) > 1);

  await sqlOf(url, 'update pg_dist_node set isactive = false where groupid = 1');
  await until(async () => (await ask(`${service.url}/readyz`)).status === 503);
  assert.match((await ask(`${service.url}/readyz`)).body.status, /^These nodes are not active: /);
  await sqlOf(url, 'update pg_dist_node set isactive = true where groupid = 1');
  await until(async () => (await ask(`${service.url}/readyz`)).status === 200);
});

/** The queue of events as the earlier preview had it, with an event in it. */
const ofBefore = [
  `select undistribute_table('event_queue')`,
  'alter table event_queue alter column position drop default, alter column position add generated always as identity',
  `insert into event_queue (workspace_id, id, type, object_id, parents, changed_fields, actor_type, via)
    select workspace_id, gen_random_uuid(), 'todo.updated', id, '{}', '{}', 'service', 'schedule' from todos limit 1`,
];

promise('brings the queue of the earlier preview to the workers, and what waits in it is numbered', async () => {
  database = await clusterDatabase();
  const { url } = database;
  const migrating = postgres(url, { max: 1, onnotice: () => {} });
  await migrate(migrating).finally(() => migrating.end());
  const key = await fill(url);
  assert.is((await runScript('distribute', [], { DATABASE_URL: url })).code, 0);
  for (const text of ofBefore) await sqlOf(url, text);
  const early = await launch({ DATABASE_URL: url });
  assert.match(early.output(), /not where they belong: event_queue \(distributed\)/);
  const again = await runScript('distribute', [], { DATABASE_URL: url });
  assert.equal(
    [again.code, again.stdout],
    [0, 'event_queue: distributed\nthe positions of events that wait was replaced\n'],
    again.stderr,
  );
  const service = await startProcess({ DATABASE_URL: url });
  assert.is((await service.call('POST /todos', key, { title: 'After' })).status, 201);
  const types = async () => {
    const { body } = await service.call('GET /events', key);
    return body.data.map(({ type }: { type: string }) => type);
  };
  await until(async () => (await types()).length === 2);
  assert.equal(await types(), ['todo.updated', 'todo.created']);
});

promise('tables of later migrations are placed when they are made', async () => {
  database = await clusterDatabase();
  const { url } = database;
  const folder = await migrationsBefore('CREATE TABLE "push_subscriptions"');
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  await migrate(sql, folder).finally(() => rm(folder, { recursive: true, force: true }));
  const connection = await sql.reserve();
  await distributeTables(connection);
  connection.release();
  await sql.end();
  const service = await startProcess({ DATABASE_URL: url });
  assert.equal((await ask(`${service.url}/readyz`)).body, { status: 'ok' });
  const there = `select count(*)::int as count from pg_dist_partition where logicalrelid::text in
    ('push_subscriptions', 'push_deliveries', 'todo_reminders')`;
  assert.equal(await sqlOf(url, there), [{ count: 3 }]);
});

test.run();
