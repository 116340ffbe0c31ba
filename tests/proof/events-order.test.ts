import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { openEmbedded } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';
import { numberEvents } from '../../domain/events/number.ts';
import { readEvents } from '../../domain/events/read.ts';
import { recordEvent } from '../../domain/events/record.ts';
import { reached, record } from '../support/event-fixtures.ts';
import {
  checkLog,
  isNumbered,
  KilledReader,
  lagOf,
  makeLedger,
  PollingReader,
  untilRead,
} from '../support/event-proof.ts';
import { type Commit, type Writing, write } from '../support/event-writers.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';
import { countOf, isFull } from '../support/proof-size.ts';
import { until } from '../support/until.ts';

const test = suite('the order of events');
const fast = countOf('EVENT_TRANSACTIONS', { ci: 250, full: 50_000 });
const slow = countOf('EVENT_SLOW_TRANSACTIONS', { ci: 6, full: 250 });
const slowWriters = countOf('EVENT_SLOW_WRITERS', { ci: 20, full: 64 });
const fastWriters = 8;
const kills = countOf('EVENT_KILLS', { ci: 9, full: 300 });
const openSeconds = countOf('EVENT_OPEN_SECONDS', { ci: 3, full: 60 });

let tandem: TestService;
let other: TestService;
let db: Database;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  other = await startTestService({ AGENT_CONCURRENCY: '0' });
  // Not quite half of the connections may be in transactions.
  db = connect(testDatabaseUrl(), { poolSize: 2 * (fastWriters + slowWriters) + 8 });
});
test.after(async () => {
  await db.close();
  await Promise.all([tandem.close(), other.close()]);
});

test('is that of the commits: nothing is missed and nothing comes twice, however long a transaction is open', async () => {
  const workspace = await tandem.workspace();
  const ledger = await makeLedger(db);
  const writing = { ...workspace, ledger: ledger.name };
  const urls = [tandem.url, other.url];
  const readers = [0, 1, 2, 3].map((place) => new PollingReader(() => urls[place % 2] ?? '', workspace));
  const writers = [
    ...Array.from({ length: fastWriters }, () => ({ ...writing, transactions: fast, maxPauseMs: 0 })),
    ...Array.from({ length: slowWriters }, () => ({ ...writing, transactions: slow, maxPauseMs: 500 })),
  ];
  const commits = (await Promise.all(writers.map((each) => write(db, each)))).flat();
  const total = commits.reduce((sum, { ids }) => sum + ids.length, 0);
  await untilRead(readers, total);
  await Promise.all(readers.map((reader) => reader.stop()));
  const inverted = await checkLog(db, { ...workspace, ledger: ledger.name }, commits, readers);
  const { p50, p99 } = lagOf(commits, readers);
  console.log(`${total} events; commit to reader: p50 ${p50} ms, p99 ${p99} ms; ${inverted} by simultaneous commits`);
  if (isFull) assert.ok(p99 <= 250, `${p99} ms`);
  await ledger.drop();
});

const program = fileURLToPath(new URL('../support/event-writer-process.ts', import.meta.url));

/** Writers in a process; killed ones are replaced until `isOver`. */
async function startWriters(writing: Writing, onCommit: (commit: Commit) => void): Promise<ChildProcess> {
  const child = fork(program, { execArgv: [] });
  await once(child, 'message');
  child.on('message', (message: Commit | 'done') => {
    if (message !== 'done') onCommit(message);
  });
  child.send({ writers: 4, writing });
  return child;
}

test('survives processes that are killed while they write, number and read', async () => {
  const workspace = await tandem.workspace();
  const ledger = await makeLedger(db);
  const { workspaceId, userId } = workspace;
  const commits: Commit[] = [];
  const given = { workspaceId, userId, ledger: ledger.name, transactions: 1_000_000, maxPauseMs: 80 };
  const writers = [
    await startWriters(given, (commit) => commits.push(commit)),
    await startWriters(given, (commit) => commits.push(commit)),
  ];
  const services: ServiceProcess[] = [await startProcess({ AGENT_CONCURRENCY: '0' })];
  const urls = [tandem.url, ...services.map(({ url }) => url)];
  let turn = 0;
  const nextUrl = () => urls[turn++ % urls.length] ?? '';
  const killed = new KilledReader(nextUrl, workspace);
  const readers = [new PollingReader(nextUrl, workspace), killed];
  for (let kill = 0; kill < kills; kill++) {
    const before = commits.length;
    await until(() => commits.length > before + 20);
    if (kill % 4 === 1) {
      await killed.kill();
      continue;
    }
    if (kill % 4 === 3) {
      services[0]?.child.kill('SIGKILL');
      services[0] = await startProcess({ AGENT_CONCURRENCY: '0' });
      urls[1] = services[0].url;
      continue;
    }
    const place = (kill / 2) % 2;
    writers[place]?.kill('SIGKILL');
    writers[place] = await startWriters(given, (commit) => commits.push(commit));
  }
  for (const writer of writers) writer.kill('SIGKILL');
  await Promise.all(writers.map((writer) => writer.exitCode ?? writer.signalCode ?? once(writer, 'exit')));
  // Statements of killed writers may still be in progress: what is committed is complete once nobody writes to it.
  const idle = `select count(*)::int as count from pg_stat_activity
    where state <> 'idle' and pid <> pg_backend_pid() and query like '%${ledger.name}%'`;
  await until(async () => (await db.driver.unsafe(idle))[0]?.count === 0);
  while (!(await isNumbered(db, workspaceId, ledger.name))) await sleep(20);
  const [{ count } = { count: 0 }] = await db.driver.unsafe(`select count(*)::int as count from ${ledger.name}`);
  await untilRead(readers, count);
  await Promise.all(readers.map((reader) => reader.stop()));
  await checkLog(db, { workspaceId, ledger: ledger.name }, commits, readers);
  console.log(`${count} events, ${kills} kills`);
  services[0]?.child.kill('SIGKILL');
  await ledger.drop();
});

test('is not held up by a transaction that stays open: its own workspace and others continue', async () => {
  const [workspace, another] = [await tandem.workspace(), await tandem.workspace()];
  const late = crypto.randomUUID();
  await db.driver.begin(async (sql) => {
    await sql.unsafe(
      `insert into event_queue (workspace_id, id, type, object_id, parents, changed_fields, actor_type, via)
        values ($1, gen_random_uuid(), 'todo.created', $2, '{}', '{}', 'service', 'schedule')`,
      [workspace.workspaceId, late],
    );
    const end = performance.now() + openSeconds * 1000;
    let count = 0;
    while (performance.now() < end || count < 20) {
      count++;
      await Promise.all([record(db, workspace, 1), record(db, another, 1)]);
      await Promise.all([reached(workspace, count), reached(another, count)]);
    }
  });
  const { body } = await workspace.call('GET /events/latest');
  await until(async () => {
    const { body: page } = await workspace.call(`GET /events?afterSequence=${body.sequence - 1}`);
    return page.data.some(({ data }: { data: { id: string } }) => data.id === late);
  });
});

test('is kept where PostgreSQL does not record commit times: by the last event of each transaction', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-events-'));
  const embedded = await openEmbedded({ dataDir, settings: { track_commit_timestamp: 'off' } });
  const database = connect(embedded.url, { poolSize: 4 });
  try {
    await migrate(database.driver);
    const world = { workspaceId: crypto.randomUUID(), userId: crypto.randomUUID() };
    const [early, late] = [crypto.randomUUID(), crypto.randomUUID()];
    let between: string[] = [];
    await database.transaction(async (tx) => {
      await recordEvent(tx, world.workspaceId, { type: 'todo.created', objectId: early });
      between = await record(database, world, 2);
      await recordEvent(tx, world.workspaceId, { type: 'todo.created', objectId: late });
    });
    assert.is((await numberEvents(database)).count, 4);
    const { events } = await readEvents(database, { workspaceId: world.workspaceId, after: 0, limit: 9 });
    assert.equal(
      events.map(({ sequence, data }) => [sequence, data.id]),
      [...between, early, late].map((id, place) => [place + 1, id]),
    );
  } finally {
    await database.close();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test.run();
