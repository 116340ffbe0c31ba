import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buffersOf, nodesOf, planOf } from '../../bench/harness/plans.ts';
import type { Db } from '../../db/client.ts';
import { deleteOldApprovals } from '../../domain/approvals/retention.ts';
import { deleteOldRuns } from '../../domain/todos/run-retention.ts';
import { deleteOldTurns } from '../../domain/turns/retention.ts';
import { sumDays } from '../../domain/usage/daily-sums.ts';
import { bordersOf, dayAfter, dayAt } from '../../domain/usage/days.ts';
import { sumOldMinutes } from '../../domain/usage/retention.ts';
import { sumsOf } from '../../domain/usage/sums.ts';
import { newChat, startWithoutAgents } from '../support/chat-fixtures.ts';
import { notOnCluster } from '../support/citus.ts';
import type { TestService } from '../support/harness.ts';
import { todoOf } from '../support/run-fixtures.ts';
import { assistantOf } from '../support/todo-fixtures.ts';

const test = suite('plans of what deletes traces of work');
const onPostgres = notOnCluster(test, 'its log of events is small: they wait on the workers');
let tandem: TestService;

const tables = ['todos', 'todo_runs', 'chat_turns', 'approvals', 'minute_entries', 'events'];
const count = 20_000;
const at = `now() - make_interval(days => 10 + n % 80)`;
const numbers = `generate_series(1, ${count}) n`;
const fills = [
  `insert into todos (workspace_id, id, title, todo_list_id, latest_run_id)
    select $1, gen_random_uuid(), 'A todo', todo_list_id, latest_run_id from todos, ${numbers} where workspace_id = $1`,
  `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, started_at, finished_at)
    select $1, gen_random_uuid(), todo_id, chat_id, agent_id, 'manual', 'completed', ${at}, ${at} from todo_runs, ${numbers}
    where workspace_id = $1`,
  `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, created_at, ended_at, outcome)
    select $1, gen_random_uuid(), chat_id, agent_id, user_id, 'chat', '{}', ${at}, ${at}, 'completed'
    from chat_turns, ${numbers} where workspace_id = $1 and run_id is null`,
  `insert into approvals (workspace_id, id, chat_id, turn_id, agent_id, message_sequence, tool_call_id, tool_name, title, input,
      reason, status, requested_at, expires_at, decided_at)
    select $1, gen_random_uuid(), chat_id, id, agent_id, 1, 'call', 'create_todo', 'A todo', '{}', 'It changes something.',
      'approved', created_at, ended_at, ended_at
    from chat_turns where workspace_id = $1 and ended_at is not null limit ${count / 2}`,
  `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, turn_id, trigger, created_at)
    select $1, gen_random_uuid(), 'turn', -0.1, agent_id, id, 'chat', created_at from chat_turns, generate_series(1, 2)
    where workspace_id = $1 and ended_at is not null`,
];

/** Two workspaces of the same size: a plan that reads both is a plan that reads all. */
async function filled(): Promise<string> {
  const workspace = await tandem.workspace();
  const { id } = await todoOf(workspace);
  await assistantOf(tandem, workspace.workspaceId);
  await workspace.call(`POST /todos/${id}/runs`);
  await newChat(tandem, workspace);
  for (const fill of fills) await tandem.db.driver.unsafe(fill, [workspace.workspaceId]);
  return workspace.workspaceId;
}

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/** A database that remembers the statements of each text, with the values of the first. */
function remembering(db: Db, seen: Map<string, readonly unknown[]>): Db {
  const rows: Db['rows'] = (text, values, plan) => {
    if (!seen.has(text)) seen.set(text, values);
    return db.rows(text, values, plan);
  };
  const transaction: Db['transaction'] = (work, first) =>
    db.transaction((tx, opened) => work(remembering(tx, seen), opened as Promise<never>), first);
  return { ...db, rows, transaction, as: (origin) => remembering(db.as(origin), seen) };
}

/** The tables that a statement reads whole, with both kinds of plans. */
async function readWhole(text: string, values: readonly unknown[]): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const kind of ['generic', 'custom'] as const) {
    const plan = await planOf(tandem.db, { text, values, plan: kind }, 'costs');
    const whole = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan');
    found.push(...whole.map((node) => node['Relation Name']).filter((name) => tables.includes(name ?? '')));
  }
  return found;
}

/** What is reported of the last 366 days. */
const sumYear = (db: Db, workspaceId: string) =>
  sumsOf(db, workspaceId, bordersOf(dayAfter(dayAt(new Date(), 'UTC'), -365), 366, 'Europe/Berlin'));

/** How many entries of the ledger a report of a year reads. */
async function entriesRead(workspaceId: string): Promise<number> {
  const seen = new Map<string, readonly unknown[]>();
  await sumYear(remembering(tandem.db, seen), workspaceId);
  const [[text, values] = ['', []]] = seen;
  const { plan } = await buffersOf(tandem.db, { text, values, plan: 'generic' });
  const nodes = nodesOf(plan).filter((node) => node['Relation Name'] === 'minute_entries');
  return nodes.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
}

test('the report of a year reads no entry of the days that are summed up', async () => {
  const workspaceId = await filled();
  const before = await entriesRead(workspaceId);
  assert.ok(before > count, `${before} entries`);
  await sumDays(tandem.db, workspaceId);
  // The grant is of today, unless midnight has passed since.
  assert.ok((await entriesRead(workspaceId)) <= 1);
});

onPostgres('no statement reads a whole table', async () => {
  const workspaceId = await filled();
  await filled();
  await tandem.db.driver.unsafe(`vacuum analyze ${tables.join(', ')}`);
  const seen = new Map<string, readonly unknown[]>();
  const db = remembering(tandem.db, seen);
  assert.ok((await deleteOldRuns(db, workspaceId, 30)) > count / 2);
  assert.ok((await deleteOldTurns(db, workspaceId, 30)) > 0);
  assert.ok((await deleteOldApprovals(db, workspaceId, 30)) > 0);
  const until = new Date(Date.now() - 30 * 864e5).toISOString();
  assert.ok((await sumOldMinutes(db, workspaceId, { from: null, until })) > count / 2);
  await sumYear(db, workspaceId);
  await sumDays(db, workspaceId);
  const ours = [...seen].filter(([text]) => tables.some((table) => new RegExp(`\\b${table}\\b`).test(text)));
  assert.ok(ours.length >= 12, `${ours.length} statements`);
  for (const [text, values] of ours) assert.equal(await readWhole(text, values), [], text);
});

test.run();
