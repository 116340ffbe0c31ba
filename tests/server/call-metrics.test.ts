import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Labelled } from '../../server/runtime/metrics.ts';
import { backlogMeasures } from '../../server/workers/queue/backlog.ts';
import { queues } from '../../server/workers/work.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { turnInState } from '../support/jobs-world.ts';
import { callTool } from '../support/mcp-clients.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';

const test = suite('metrics of calls and queues');
let database: ScratchDatabase;
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  database = await createServiceDatabase();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', DATABASE_URL: database.url });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
});
test.after(async () => {
  await tandem.close();
  await database.drop();
});

/** The number of a series on /metrics; undefined when there is none. */
async function series(name: string): Promise<number | undefined> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test('count and time the calls of an operation, over REST and tRPC, and those of tools', async () => {
  assert.is((await workspace.call('GET /todos')).status, 200);
  const input = encodeURIComponent('{}');
  const headers = { authorization: `Bearer ${workspace.key}` };
  assert.is((await fetch(`${tandem.url}/trpc/todos.list?input=${input}`, { headers })).status, 200);
  await callTool(tandem.url, workspace.key, 'list_todos', {});
  assert.is(await series('tandem_operation_duration_seconds_count{kind="operation",operation="listTodos"}'), 2);
  assert.is(await series('tandem_operation_duration_seconds_count{kind="tool",operation="list_todos"}'), 1);
  const sum = await series('tandem_operation_duration_seconds_sum{kind="operation",operation="listTodos"}');
  assert.ok(sum !== undefined && sum > 0, String(sum));
  assert.is(
    await series('tandem_operation_errors_total{kind="operation",operation="listTodos",status="400"}'),
    undefined,
  );
});

test('count failures by their status', async () => {
  assert.is((await workspace.call(`GET /todos/${crypto.randomUUID()}`)).status, 404);
  assert.is((await workspace.call('POST /todos', { title: '' })).status, 400);
  assert.is(await series('tandem_operation_errors_total{kind="operation",operation="getTodo",status="404"}'), 1);
  assert.is(await series('tandem_operation_errors_total{kind="operation",operation="createTodo",status="400"}'), 1);
});

test('show the depth and the age of every queue, also without workers', async () => {
  await turnInState(tandem, workspace);
  await turnInState(tandem, workspace);
  await tandem.db.rows(`update chat_turns set lease_until = now() - interval '1 minute'`, []);
  const measures = backlogMeasures(tandem.db, queues, pino({ level: 'silent' }));
  const [depth, age] = await Promise.all(measures.map(async (each) => (await each.read()) as Labelled));
  const none = Object.fromEntries(Object.keys(queues).map((name) => [name, 0]));
  assert.equal(depth, { ...none, turns: 2 });
  assert.ok((age?.turns ?? 0) >= 60 && (age?.turns ?? 0) < 120, String(age?.turns));
  assert.equal({ ...age, turns: 0 }, none);
  assert.is.not(await series('tandem_queue_depth{queue="captures"}'), undefined);
  assert.is.not(await series('tandem_queue_age_seconds{queue="turns"}'), undefined);
});

test('show no queue when the database does not answer, and ask it once for readers at the same time', async () => {
  let asked = 0;
  const rows = async (): Promise<never> => {
    asked++;
    throw new Error('away');
  };
  const [depth, age] = backlogMeasures({ rows }, queues, pino({ level: 'silent' }));
  assert.equal([await depth?.read(), await age?.read(), await depth?.read()], [{}, {}, {}]);
  assert.is(asked, 1);
});

test.run();
