import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { countOf } from '../support/proof-size.ts';
import { until } from '../support/until.ts';

/*
 * OCCURRENCE_TODOS is how many todos are due at each of twenty steps. The processes are killed at half of the steps,
 * whatever it is: more todos make a step longer, not the kills more frequent.
 */

const test = suite('every occurrence fires exactly once');
const start = '2033-01-03T00:00:00.000Z';
const todos = countOf('OCCURRENCE_TODOS', { ci: 40, full: 500 });
const steps = 20;
const processes = 4;

let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

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

interface Worker {
  /** Resolves when it has fired all that is due at the instant, or was killed. */
  fire(instant: string): Promise<void>;
  kill(): Promise<void>;
}

/** A process with a scheduler whose clock is set by the test. */
async function startWorker(): Promise<Worker> {
  const main = fileURLToPath(new URL('../support/scheduler-process.ts', import.meta.url));
  const { PATH = '', NODE_COMPILE_CACHE = '', TEST_CITUS_URL = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TEST_CITUS_URL, TEST_DATABASE_URL: testDatabaseUrl() };
  const child = fork(main, [], { env, execArgv: [] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const received = (text: string) =>
    new Promise<void>((resolve) => {
      const listener = (message: unknown) => {
        if (message !== text) return;
        child.off('message', listener);
        resolve();
      };
      child.on('message', listener);
    });
  await Promise.race([received('ready'), exited]);
  return {
    fire: async (instant) => {
      const done = received(instant);
      if (child.connected) child.send(instant, () => {});
      await Promise.race([done, exited]);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

test(`${todos * steps} occurrences of ${todos} todos in ${processes} processes that are killed at random moments`, async () => {
  const { workspaceId } = await scheduled(todos, 'FREQ=HOURLY;BYMINUTE=0', start, '2033-01-03T01:00:00.000Z');
  const workers = await Promise.all(Array.from({ length: processes }, startWorker));
  let kills = 0;
  let inTheMiddle = 0;
  for (let step = 1; step <= steps; step++) {
    const instant = new Date(Date.parse(start) + step * 3_600_000).toISOString();
    const firing = Promise.all(workers.map((worker) => worker.fire(instant)));
    if (step % 2 === 0) {
      const fresh = startWorker();
      // In the middle of the step, however fast this machine is.
      const some = 1 + Math.floor((Math.random() * todos) / 2);
      await until(async () => ((await countsOf(workspaceId))?.occurrences ?? 0) >= todos * (step - 1) + some);
      const place = Math.floor(Math.random() * processes);
      await workers[place]?.kill();
      kills++;
      const { occurrences = 0 } = (await countsOf(workspaceId)) ?? {};
      if (occurrences > todos * (step - 1) && occurrences < todos * step) inTheMiddle++;
      workers[place] = await fresh;
    }
    await firing;
    // What a killed one held is free once PostgreSQL notices; somebody takes it up.
    await Promise.all(workers.map((worker) => worker.fire(instant)));
    await endRuns(workspaceId);
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  assert.is(kills, steps / 2);
  assert.ok(inTheMiddle > 0, 'some were killed at work, or nothing was tested');
  process.stdout.write(`(${inTheMiddle} of ${kills} in the middle) `);
  const counts = await countsOf(workspaceId);
  const all = todos * steps;
  assert.is(counts?.occurrences, all);
  assert.is(counts?.distinct, all);
  assert.is((counts?.runs ?? 0) + (counts?.notifications ?? 0), counts?.fired, 'what fired did its one thing');
  assert.is(counts?.runs, counts?.withRun);
  assert.is(counts?.chats, counts?.runs);
  assert.is(counts?.fired, all, 'each fired, none was missed');
});

test('100 todos due at once in three processes of which two are killed: each fires once', async () => {
  const later = '2099-01-01T00:00:00.000Z';
  const { workspaceId } = await scheduled(100, 'FREQ=HOURLY', later, later);
  const services = await Promise.all(
    [1, 2, 3].map(() => startProcess({ AGENT_CONCURRENCY: '1', DATABASE_POOL_SIZE: '4' })),
  );
  // They look every two seconds for what is due next, and then fire it at its time.
  const planned = Math.ceil(Date.now() / 1000) * 1000 + 4000;
  const times = [planned - 3600_000, planned].map((ms) => new Date(ms).toISOString());
  const plan = 'update todo_schedules set starts_at = $2, next_run_at = $3 where workspace_id = $1';
  await tandem.db.rows(plan, [workspaceId, ...times]);
  await sleep(Math.max(0, planned - Date.now()));
  for (const service of services.slice(0, 2)) {
    await sleep(40 + Math.random() * 120);
    service.child.kill('SIGKILL');
    await service.exited;
  }
  let counts = await countsOf(workspaceId);
  const isOver = async () => {
    counts = await countsOf(workspaceId);
    return counts?.occurrences === 100;
  };
  await until(isOver, () => JSON.stringify(counts));
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
