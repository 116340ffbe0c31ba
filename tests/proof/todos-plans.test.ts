import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bindings } from '../../db/bindings.ts';
import { criteriaOf } from '../../domain/todos/filter.ts';
import type { TodoFilter } from '../../domain/todos/listing-shapes.ts';
import { sorts, walkOf } from '../../domain/todos/walk.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addMember, assistantOf } from '../support/todo-fixtures.ts';

const test = suite('plans of lists of todos');
const size = 40_000;
let tandem: TestService;
let workspace: TestWorkspace;
let lists: string[];
let people: string[];
let agentId: string;

/** Every 1,000th todo is a suggestion, has a schedule and has been run; every tenth is archived. */
const fill = `with made as (
    insert into todos (workspace_id, id, title, status, priority, todo_list_id, created_at, updated_at, is_suggested,
      archived_at, is_scheduled, latest_run_id)
    select $1, gen_random_uuid(), 'a', (array['ready', 'in_progress', 'done'])[1 + n % 3], nullif(n % 5, 0),
      ($2::uuid[])[1 + n % 3], now() - n * interval '1 minute', now() - n * interval '1 minute', n % 1000 = 1,
      case when n % 10 = 2 then now() end, n % 1000 = 3, case when n % 1000 = 4 then gen_random_uuid() end
    from generate_series(1, $3::int) n returning *
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, created_at)
    select $1, m.id, p.place, p.id, m.created_at from (select m.*, row_number() over () as n from made m) m
    cross join unnest($4::uuid[]) with ordinality p(id, place) where m.n % 20 < 2
  ), scheduled as (
    insert into todo_schedules (workspace_id, todo_id, kind, timezone, starts_at, status, user_id, scopes)
    select $1, id, 'one_off', 'UTC', now(), 'disabled', $5, '{}' from made where is_scheduled
  ) insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, finished_at)
    select $1, latest_run_id, id, gen_random_uuid(), $6, 'manual', 'completed', now() from made where latest_run_id is not null`;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  const { workspaceId, userId, call } = workspace;
  lists = [(await call('GET /todo-lists')).body.data[0].id];
  for (const name of ['A', 'B']) lists.push((await call('POST /todo-lists', { name })).body.id);
  people = [userId, await addMember(tandem, workspaceId, 'Ann')];
  agentId = await assistantOf(tandem, workspaceId);
  await tandem.db.driver.unsafe(fill, [workspaceId, lists, size, people, userId, agentId] as never[]);
  await tandem.db.driver.unsafe('vacuum analyze todos, todo_assignees, todo_schedules, todo_runs');
});
test.after(() => tandem.close());

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const tables = ['todos', 'todo_assignees'];

/** The rows that scans of todos and their assignees read, those that were filtered out too. */
function rowsRead(node: PlanNode): number {
  const own = tables.includes(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), own);
}

async function explained(text: string, values: readonly unknown[]): Promise<PlanNode> {
  const [row] = await tandem.db.transaction(async (tx) => {
    await tx.rows(`select set_config('plan_cache_mode', 'force_custom_plan', true)`, []);
    return tx.rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (analyze, format json) ${text}`, values);
  });
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  assert.ok(plan);
  return plan;
}

const page = 26;

const cases: [name: string, filter: () => TodoFilter, sort: keyof typeof sorts, most: number][] = [
  ['no filter', () => ({}), 'createdAt', page],
  ['two statuses', () => ({ status: ['ready', 'done'] }), 'createdAt', 2 * page],
  ['several lists', () => ({ todoListId: lists }), 'createdAt', 4 * page],
  ['several assignees', () => ({ assigneeId: people }), 'createdAt', 8 * page],
  ['several priorities', () => ({ priority: ['low', 'medium'] }), 'priority', 2 * page],
  ['several priorities and none', () => ({ priority: ['low', 'none'] }), 'priority', 2 * page],
  ['archived too', () => ({ archived: 'any' }), 'createdAt', 2 * page],
  ['archived too, of several statuses', () => ({ archived: 'any', status: ['ready', 'done'] }), 'createdAt', 8 * page],
  ['suggestions', () => ({ isSuggested: true }), 'createdAt', size / 500],
  ['suggestions by date', () => ({ isSuggested: true }), 'dueDate', size / 250],
  ['schedules of a state', () => ({ scheduleStatus: ['error', 'disabled'] }), 'createdAt', size / 250],
  ['schedules of a state by date of change', () => ({ scheduleStatus: 'disabled' }), 'updatedAt', size / 250],
  ['todos that have run', () => ({ hasRun: true }), 'createdAt', size / 500],
  ['todos that have run by priority', () => ({ hasRun: true }), 'priority', size / 250],
];

for (const [name, filterOf, sort, most] of cases) {
  test(`${name} by ${sort}: a page reads few of ${size} todos`, async () => {
    const bindings = new Bindings();
    const criteria = criteriaOf(workspace, filterOf());
    const walk = { viewer: workspace, criteria, sort: sorts[sort], order: 'desc' as const, after: undefined };
    const text = walkOf(walk, bindings, bindings.bind(page), 't.*');
    const plan = await explained(text, bindings.values);
    const read = rowsRead(plan);
    assert.ok(read <= most, `${read} rows, more than ${most}: ${JSON.stringify(plan)}`);
  });
}

test.run();
