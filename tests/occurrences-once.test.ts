import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../db/client.ts';
import { surviveLostConnections } from '../server/strays.ts';
import { startTestService, type TestService, testDatabaseUrl } from './harness.ts';
import { startProcess, stopProcesses } from './processes.ts';
import { clockworkOf, testClock, worldOf } from './schedule-world.ts';

const test = suite('every occurrence fires exactly once');
const start = '2033-01-03T00:00:00.000Z';
const todos = 500;
const steps = 20;
const clockworks = 4;

let tandem: TestService;
let stopSurviving: () => void;

test.before(async () => {
  stopSurviving = surviveLostConnections({ warn: () => {} });
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
  stopSurviving();
});

const clock = testClock(start);

/** Todos of one workspace with a schedule, half of them worked on by an agent and half by a person. */
async function scheduled(count: number, rrule: string, startsAt: string, nextRunAt: string) {
  const workspace = await tandem.workspace();
  await tandem.db.rows('update workspaces set agent_minutes = 100000 where id = $1', [workspace.workspaceId]);
  const { body } = await workspace.call('GET /agents');
  for (let at = 0; at < count; at += 50) {
    const data = Array.from({ length: Math.min(50, count - at) }, (_, place) => ({
      title: `Todo ${at + place}`,
      assignees: [{ id: place % 2 === 0 ? workspace.userId : body.data[0].id }],
      schedule: { rrule: 'FREQ=HOURLY;BYMINUTE=0', timezone: 'UTC' },
    }));
    assert.is((await workspace.call('POST /todos/batch', { data })).status, 200);
  }
  await tandem.db.rows(
    'update todo_schedules set rrule = $2, starts_at = $3, next_run_at = $4, kind = $5 where workspace_id = $1',
    [workspace.workspaceId, rrule, startsAt, nextRunAt, 'recurring'],
  );
  return workspace;
}

/** Ends every run of the workspace at once, as if the agents were quick. */
async function endRuns(workspaceId: string) {
  await tandem.db.rows(
    `with ended as (update todo_runs set status = 'completed', finished_at = now() where workspace_id = $1 and status = 'running')
     update chat_turns set ended_at = now(), outcome = 'completed' where workspace_id = $1 and ended_at is null`,
    [workspaceId],
  );
}

/** What the database holds of firings, beside the occurrences that are to be. */
async function countsOf(workspaceId: string) {
  const [counts] = await tandem.db.rows<Record<string, number>>(
    `select (select count(*)::int from todo_occurrences where workspace_id = $1) as occurrences,
       (select count(*)::int from todo_occurrences where workspace_id = $1 and status = 'fired') as fired,
       (select count(*)::int from todo_occurrences where workspace_id = $1 and run_id is not null) as "withRun",
       (select count(*)::int from todo_runs where workspace_id = $1) as runs,
       (select count(*)::int from chats where workspace_id = $1) as chats,
       (select count(*)::int from notifications where workspace_id = $1) as notifications,
       (select count(distinct (todo_id, planned_at))::int from todo_occurrences where workspace_id = $1) as distinct`,
    [workspaceId],
  );
  return counts;
}

test(`${todos * steps} occurrences of ${todos} todos in ${clockworks} clockworks whose connections are cut at random`, async () => {
  clock.set(start);
  const { workspaceId } = await scheduled(todos, 'FREQ=HOURLY;BYMINUTE=0', start, '2033-01-03T01:00:00.000Z');
  const databases: Database[] = [];
  for (let place = 0; place < clockworks; place++) {
    databases.push(connect(testDatabaseUrl(), { poolSize: 3, applicationName: `clockwork ${place}` }));
  }
  const works = databases.map((db) => clockworkOf(worldOf(tandem, clock, { db }), 2));
  let over = false;
  let cuts = 0;
  const cut = `select pg_terminate_backend(pid) as done from pg_stat_activity
    where datname = current_database() and application_name like 'clockwork %' and xact_start is not null
    order by random() limit 1`;
  const cutter = (async () => {
    while (!over) {
      await sleep(5 + Math.random() * 60);
      cuts += (await tandem.db.rows(cut, [])).length;
    }
  })();
  /** Until nothing is due, whatever happens to its connections. */
  const drain = async (work: (typeof works)[number]) => {
    for (;;) {
      const fired = await work.fireAll().catch(() => -1);
      if (fired === 0) return;
      if (fired < 0) await sleep(5);
    }
  };
  for (let step = 1; step <= steps; step++) {
    clock.pass(60);
    await Promise.all(works.map(drain));
    await endRuns(workspaceId);
  }
  over = true;
  await cutter;
  // A cut connection may leave its todo locked for a moment, and everybody passes it over.
  await sleep(200);
  await Promise.all(works.map(drain));
  await Promise.all(databases.map((db) => db.close()));
  assert.ok(cuts >= 20, `only ${cuts} connections were cut`);
  const counts = await countsOf(workspaceId);
  const all = todos * steps;
  assert.is(counts?.occurrences, all);
  assert.is(counts?.distinct, all);
  assert.is((counts?.runs ?? 0) + (counts?.notifications ?? 0), counts?.fired, 'what fired did its one thing');
  assert.is(counts?.runs, counts?.withRun);
  assert.is(counts?.chats, counts?.runs);
  // What was passed over while its connection was cut comes an hour late at the most, and is then told as missed.
  assert.ok((counts?.fired ?? 0) >= all * 0.98, `${counts?.fired} of ${all} fired`);
});

test('100 todos due at once in three processes of which two are killed: each fires once', async () => {
  const planned = new Date(Math.ceil(Date.now() / 1000) * 1000 + 9000).toISOString();
  const startsAt = new Date(Date.parse(planned) - 3600_000).toISOString();
  const { workspaceId } = await scheduled(100, 'FREQ=HOURLY', startsAt, planned);
  const services = await Promise.all(
    [1, 2, 3].map(() => startProcess({ AGENT_CONCURRENCY: '1', DATABASE_POOL_SIZE: '4' })),
  );
  await sleep(Math.max(0, Date.parse(planned) - Date.now()));
  for (const service of services.slice(0, 2)) {
    await sleep(40 + Math.random() * 120);
    service.child.kill('SIGKILL');
    await service.exited;
  }
  const deadline = Date.now() + 20_000;
  let counts = await countsOf(workspaceId);
  while (counts?.occurrences !== 100 && Date.now() < deadline) {
    await sleep(250);
    counts = await countsOf(workspaceId);
  }
  assert.equal(
    {
      occurrences: counts?.occurrences,
      fired: counts?.fired,
      runs: counts?.runs,
      notifications: counts?.notifications,
    },
    { occurrences: 100, fired: 100, runs: 50, notifications: 50 },
  );
  const [left] = await tandem.db.rows<{ count: number }>(
    'select count(*)::int as count from todo_schedules where workspace_id = $1 and next_run_at <= now()',
    [workspaceId],
  );
  assert.is(left?.count, 0);
});

test.run();
