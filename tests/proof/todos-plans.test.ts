import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bindings } from '../../db/bindings.ts';
import type { Position } from '../../domain/page.ts';
import { criteriaOf } from '../../domain/todos/filter.ts';
import { pageStatement } from '../../domain/todos/list.ts';
import type { TodoFilter } from '../../domain/todos/listing-shapes.ts';
import { sorts, walkOf } from '../../domain/todos/walk.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addMember, assistantOf } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('plans of lists of todos');
const size = 40_000;
let tandem: TestService;
let workspace: TestWorkspace;
let lists: string[];
let people: string[];
let agentId: string;
/** Assigned to every 100th todo, where `people` are to every tenth and the agent to two of three. */
let idle: string;

/** Every 1,000th todo is a suggestion, has a schedule and has been run; every tenth is archived. */
const fill = `with made as (
    insert into todos (workspace_id, id, title, status, priority, todo_list_id, created_at, updated_at, due_date,
      is_suggested, archived_at, is_scheduled, latest_run_id)
    select $1, gen_random_uuid(), 'a', (array['ready', 'in_progress', 'done'])[1 + n % 3], nullif(n % 5, 0),
      ($2::uuid[])[1 + n % 3], now() - n * interval '1 minute', now() - n * 7919 % $3::int * interval '1 minute',
      case when n % 4 > 0 then date '2026-01-01' + n * 7 % 1000 end, n % 1000 = 1, case when n % 10 = 2 then now() end, n % 1000 = 3, case when n % 1000 = 4 then gen_random_uuid() end
    from generate_series(1, $3::int) n returning *
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
    select $1, m.id, p.place, p.id, null::uuid, m.created_at from (select m.*, row_number() over () as n from made m) m
    cross join unnest($4::uuid[]) with ordinality p(id, place) where m.n % 20 < 2
    union all select $1, id, 3, null, $6, created_at from made where status <> 'done'
    union all select $1, id, 4, $7, null, created_at from made where due_date = '2026-03-05' or is_scheduled
  ), scheduled as (
    insert into todo_schedules (workspace_id, todo_id, kind, timezone, starts_at, status, user_id, scopes)
    select $1, id, 'one_off', 'UTC', now(), 'disabled', $5, '{}' from made where is_scheduled
  ) insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, finished_at)
    select $1, latest_run_id, id, gen_random_uuid(), $6, 'manual', 'completed', now() from made where latest_run_id is not null`;

/** Vacuums; whether indexes alone can then be read, which a transaction that was open meanwhile prevents. */
async function isVacuumed(): Promise<boolean> {
  await tandem.db.driver.unsafe('vacuum analyze todos, todo_assignees, todo_schedules, todo_runs');
  const text = `select 1 from pg_class where relname in ('todos', 'todo_assignees') and relallvisible < relpages`;
  return (await tandem.db.rows(text, [])).length === 0;
}

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  const { workspaceId, userId, call } = workspace;
  lists = [(await call('GET /todo-lists')).body.data[0].id];
  for (const name of ['A', 'B']) lists.push((await call('POST /todo-lists', { name })).body.id);
  people = [userId, await addMember(tandem, workspaceId, 'Ann')];
  idle = await addMember(tandem, workspaceId, 'Bob');
  agentId = await assistantOf(tandem, workspaceId);
  await tandem.db.driver.unsafe(fill, [workspaceId, lists, size, people, userId, agentId, idle] as never[]);
  await until(isVacuumed);
});
test.after(() => tandem.close());

interface PlanNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
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

/** Values as literals of EXECUTE. */
function literals(values: readonly unknown[]): string {
  const quoted = (value: unknown) => `'${Array.isArray(value) ? `{${value.join()}}` : value}'`;
  return values.map(quoted).join(', ');
}

/** Buffers that a page reads, planned as the service plans it. */
async function buffersOf(filter: TodoFilter, sort: keyof typeof sorts, order: 'asc' | 'desc', after?: Position) {
  const criteria = criteriaOf(workspace, filter);
  const walk = { viewer: workspace, criteria, sort: sorts[sort], order, after };
  const { text, values, plan } = pageStatement(walk, page);
  const [row] = await tandem.db.driver.begin(async (sql) => {
    await sql.unsafe(`set local plan_cache_mode = force_${plan}_plan; set local jit = off`);
    await sql.unsafe(`prepare page as ${text}`);
    const run = `explain (analyze, buffers, timing off, format json) execute page (${literals(values)})`;
    const found = await sql.unsafe(run);
    await sql.unsafe('deallocate page');
    return found as unknown as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
  });
  const found = row?.['QUERY PLAN'][0]?.Plan;
  assert.ok(found);
  return { buffers: found['Shared Hit Blocks'] + found['Shared Read Blocks'], plan: found };
}

const filters: Record<string, () => TodoFilter> = {
  none: () => ({}),
  status: () => ({ status: 'done' }),
  statuses: () => ({ status: ['ready', 'done'] }),
  priority: () => ({ priority: 'low' }),
  'no priority': () => ({ priority: 'none' }),
  list: () => ({ todoListId: lists[1] as string }),
  lists: () => ({ todoListId: lists }),
  assignee: () => ({ assigneeId: people[0] as string }),
  assignees: () => ({ assigneeId: people }),
  'idle assignee': () => ({ assigneeId: idle }),
  'busy assignee': () => ({ assigneeId: agentId }),
  'no assignee': () => ({ unassigned: true }),
  scheduled: () => ({ scheduleStatus: 'disabled' }),
  'has run': () => ({ hasRun: true }),
  'has not run': () => ({ hasRun: false }),
  suggested: () => ({ isSuggested: true }),
  archived: () => ({ includeArchived: true }),
  'archived too': () => ({ archived: 'any' }),
  'updated since': () => ({ updatedSince: ago(200) }),
  'updated long since': () => ({ updatedSince: ago(size) }),
  'created since': () => ({ createdSince: ago(200) }),
  'created long since': () => ({ createdSince: ago(size) }),
  'due before': () => ({ dueBefore: '2026-01-05' }),
  'due long before': () => ({ dueBefore: '2028-06-01' }),
  'due after': () => ({ dueAfter: '2028-09-20' }),
  'due long after': () => ({ dueAfter: '2026-03-01' }),
};
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** A position in the middle of each order. */
async function middleOf(sort: keyof typeof sorts): Promise<Position> {
  const { column } = sorts[sort];
  const text = `select ${column} as value, t.id from todos t where t.workspace_id = $1 and ${column} is not null
    order by 1, 2 offset $2::int limit 1`;
  const [row] = await tandem.db.rows<{ value: string | number; id: string }>(text, [workspace.workspaceId, size / 4]);
  return [row?.value ?? null, row?.id ?? ''];
}

/** With other plans: 86,000 for todos of an assignee by priority, 7,900 for those due soon by date of change. */
const maxBuffers = 2500;

for (const sort of Object.keys(sorts) as (keyof typeof sorts)[]) {
  test(`any filter by ${sort}, up and down, first page and deep: few buffers`, async () => {
    const [value, id] = await middleOf(sort);
    for (const [name, filterOf] of Object.entries(filters)) {
      const middle: Position = sort === 'priority' && name === 'no priority' ? [null, id] : [value, id];
      for (const order of ['asc', 'desc'] as const) {
        for (const after of [undefined, middle]) {
          const { buffers, plan } = await buffersOf(filterOf(), sort, order, after);
          const page = `${name} ${order} ${after ? 'deep' : 'first'}`;
          assert.ok(buffers <= maxBuffers, `${page}: ${buffers} buffers: ${JSON.stringify(plan)}`);
        }
      }
    }
  });
}

test('the todos of many and of few assignments are those of a plain query, in its order', async () => {
  for (const sort of Object.keys(sorts) as (keyof typeof sorts)[]) {
    for (const order of ['asc', 'desc'] as const) {
      for (const assigneeId of [people, [agentId], [idle]]) {
        const criteria = criteriaOf(workspace, { assigneeId });
        const { text, values } = pageStatement(
          { viewer: workspace, criteria, sort: sorts[sort], order, after: undefined },
          page,
        );
        const plain = `select t.id from todos t where t.workspace_id = $1 and t.archived_at is null and not t.is_suggested
          and exists (select from todo_assignees a where a.workspace_id = $1 and a.todo_id = t.id
            and a.assignee_id = any($2::uuid[]))
          order by ${sorts[sort].column} ${order} nulls last, t.id ${order} limit ${page}`;
        const [found, expected] = await Promise.all([
          tandem.db.rows<{ id: string }>(text, values, 'custom'),
          tandem.db.rows<{ id: string }>(plain, [workspace.workspaceId, assigneeId], 'custom'),
        ]);
        assert.is(expected.length, page);
        assert.equal(
          found.map(({ id }) => id),
          expected.map(({ id }) => id),
          `${sort} ${order}`,
        );
      }
    }
  }
});

test.run();
