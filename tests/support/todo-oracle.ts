import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { addMember, assistantOf } from './todo-fixtures.ts';

/** The query parameters of a list as a client writes them. */
export type Query = Partial<
  Record<
    | 'status'
    | 'priority'
    | 'type'
    | 'todoListId'
    | 'captureId'
    | 'assigneeId'
    | 'labelId'
    | 'assignedToMe'
    | 'unassigned'
    | 'includeArchived'
    | 'archived'
    | 'isSuggested'
    | 'scheduleStatus'
    | 'hasRun'
    | 'updatedSince'
    | 'createdSince'
    | 'dueBefore'
    | 'dueAfter'
    | 'query'
    | 'sort'
    | 'order',
    string
  >
>;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pickOf(random: () => number) {
  return <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined && items.length === 0) throw new Error('nothing to pick from');
    return item as Item;
  };
}

const folded = (text: string) => text.normalize('NFC').toLowerCase();

/** Milliseconds since 1970, with the digits after them: `Date` drops these. */
function millisOf(instant: string): number {
  return Date.parse(instant) + Number(`0.${/\.\d{3}(\d+)/.exec(instant)?.[1] ?? 0}`);
}

/** Whether a value is one of those of a parameter, which has them all when it is absent. */
function isAmong(parameter: string | undefined, value: string): boolean {
  return parameter === undefined || parameter.split(',').includes(value);
}

/** Whether SPEC's rules of listTodos put the todo in the list: in plain words, without a database. */
export function matches(todo: TodoAnswer, query: Query, me: string): boolean {
  const { status, priority, type, todoListId, captureId, updatedSince, createdSince, dueBefore, dueAfter } = query;
  const assignee = query.assignedToMe === 'true' ? me : query.assigneeId?.replaceAll('me', me);
  if (query.archived !== 'any' && todo.isArchived !== (query.includeArchived === 'true')) return false;
  const isHidden = captureId === undefined && query.isSuggested === undefined;
  if (todo.isSuggested && !todo.isArchived && isHidden) return false;
  if (query.isSuggested !== undefined && String(todo.isSuggested) !== query.isSuggested) return false;
  if (query.hasRun !== undefined && String(todo.latestRun !== null) !== query.hasRun) return false;
  if (!isAmong(query.scheduleStatus, todo.scheduleStatus ?? '')) return false;
  if (!isAmong(status?.replace('active', 'ready,in_progress'), todo.status)) return false;
  if (!isAmong(priority, todo.priority ?? 'none')) return false;
  if (type !== undefined && todo.type !== type) return false;
  if (!isAmong(todoListId?.toLowerCase(), todo.todoListId)) return false;
  if (captureId !== undefined && todo.captureId !== captureId) return false;
  if (assignee !== undefined && !todo.assignees.some(({ id }) => isAmong(assignee, id))) return false;
  if (assignee === undefined && query.unassigned === 'true' && todo.assignees.length > 0) return false;
  if (query.labelId !== undefined && !todo.labels.some(({ id }) => isAmong(query.labelId, id))) return false;
  if (updatedSince !== undefined && millisOf(todo.updatedAt) < millisOf(updatedSince)) return false;
  if (createdSince !== undefined && millisOf(todo.createdAt) < millisOf(createdSince)) return false;
  if (dueBefore !== undefined && (todo.dueDate === null || todo.dueDate > dueBefore)) return false;
  if (dueAfter !== undefined && (todo.dueDate === null || todo.dueDate < dueAfter)) return false;
  const text = folded(`${todo.title ?? ''}\n${todo.content ?? ''}`);
  return (query.query ?? '')
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => text.includes(folded(word)));
}

const ranks = ['low', 'medium', 'high', 'urgent'];

/** The total order of a list: the value, nulls last in both directions, then the id. */
export function inOrder({ sort = 'createdAt', order = 'desc' }: Query) {
  const keyOf = (todo: TodoAnswer) => {
    if (sort === 'priority') return todo.priority === null ? null : ranks.indexOf(todo.priority);
    return todo[sort as 'createdAt' | 'updatedAt' | 'dueDate' | 'position'];
  };
  const turn = order === 'asc' ? 1 : -1;
  return (one: TodoAnswer, other: TodoAnswer): number => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
    } else if (a !== b) return a < b ? -turn : turn;
    return one.id < other.id ? -turn : turn;
  };
}

/** The summary that SPEC promises of these todos. */
export function summaryOf(todos: readonly TodoAnswer[]) {
  const count = (holds: (todo: TodoAnswer) => boolean) => todos.filter(holds).length;
  const byStatus = Object.fromEntries(
    ['ready', 'in_progress', 'done'].map((status) => [status, count((todo) => todo.status === status)]),
  );
  const byPriority = Object.fromEntries(
    [...ranks.toReversed(), 'none'].map((name) => [name, count((todo) => (todo.priority ?? 'none') === name)]),
  );
  const done = todos.filter((todo) => todo.status === 'done');
  return {
    object: 'todo_summary',
    total: todos.length,
    active: count((todo) => todo.status !== 'done'),
    byStatus,
    byPriority,
    minutesSaved: done.reduce((sum, todo) => sum + (todo.minutesSaved ?? 0), 0),
  };
}

export const words = [
  'Budget',
  'budgetary',
  'ÉMILE',
  'e\u0301mile',
  'Straße',
  'x',
  '100%',
  'a_b',
  '\\o/',
  '预算表',
  'Δέλτα',
];
/** Captures of a workspace that was populated; `addCaptures` makes them. */
export const captures = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'];
export const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-12-31'];
export const instants = ['00:00:00.000', '00:00:00.001', '11:59:59.999', '12:00:00.000'].map(
  (time) => `2026-03-01T${time}Z`,
);

/** Makes the captures that todos of a test come from. */
export async function addCaptures({ db }: TestService, { workspaceId, userId }: TestWorkspace): Promise<void> {
  const text = `insert into captures (workspace_id, id, user_id, type, status)
    select $1, id, $2, 'note', 'completed' from unnest($3::uuid[]) id`;
  await db.rows(text, [workspaceId, userId, captures]);
}

export const scheduleStatuses = ['pending', 'queued', 'disabled', 'error', 'completed'];

/** Gives todos a latest run each, some of which wait for working hours, and every schedule a state. */
async function addRuns(
  { db }: TestService,
  workspaceId: string,
  agentId: string,
  todoIds: string[],
  pick: <Item>(items: readonly Item[]) => Item,
): Promise<void> {
  const runs = todoIds.map((todoId) => ({
    todoId,
    trigger: pick(['manual', 'schedule']),
    isQueued: pick([true, false]),
  }));
  await db.rows(
    `with given as (
      select * from jsonb_to_recordset($3::jsonb) as r("todoId" uuid, trigger text, "isQueued" boolean)
    ), runs as (
      insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, status_reason, finished_at)
      select $1, gen_random_uuid(), "todoId", gen_random_uuid(), $2, trigger,
        case when "isQueued" then 'running' else 'completed' end,
        case when "isQueued" then 'queued' end, case when "isQueued" then null else now() end
      from given returning id, todo_id
    ) update todos t set latest_run_id = r.id from runs r where t.workspace_id = $1 and t.id = r.todo_id`,
    [workspaceId, agentId, JSON.stringify(runs)],
  );
  const scheduled = await db.rows<{ id: string }>(
    'select todo_id as id from todo_schedules where workspace_id = $1 order by todo_id',
    [workspaceId],
  );
  const states = scheduled.map(({ id }) => ({ id, status: pick(scheduleStatuses) }));
  await db.rows(
    `update todo_schedules s set status = r.status from jsonb_to_recordset($2::jsonb) as r(id uuid, status text)
    where s.workspace_id = $1 and s.todo_id = r.id`,
    [workspaceId, JSON.stringify(states)],
  );
}

export interface Population {
  todos: TodoAnswer[];
  lists: string[];
  assignees: string[];
  labels: string[];
}

/** Fills a workspace with `count` todos of random properties, and reads every one back by its id. */
export async function populate(
  tandem: TestService,
  workspace: TestWorkspace,
  count: number,
  random: () => number,
): Promise<Population> {
  const { call, workspaceId, userId } = workspace;
  await addCaptures(tandem, workspace);
  const pick = pickOf(random);
  const lists: string[] = [(await call('GET /todo-lists')).body.data[0].id];
  for (const name of ['A', 'B']) lists.push((await call('POST /todo-lists', { name })).body.id);
  const assignees = [userId, await addMember(tandem, workspaceId, 'Ann'), await assistantOf(tandem, workspaceId)];
  const labels: string[] = [];
  for (const name of ['Red', 'Green', 'Blue']) labels.push((await call('POST /labels', { name })).body.id);
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(words)).join(pick([' ', '\n', '-']));
  const todo = () => ({
    ...pick([{ title: text() }, { content: text() }, { title: text(), content: text() }]),
    ...pick([{}, { priority: pick(ranks) }]),
    type: pick(['task', 'task', 'responsibility']),
    todoListId: pick(lists),
    ...pick([{}, { dueDate: pick(days) }]),
    assignees: assignees.filter(() => random() < 0.3).map((id) => ({ id })),
    labelIds: labels.filter(() => random() < 0.3),
    ...(random() < 0.25 && { schedule: { runAt: '2090-01-01T09:00:00Z' } }),
  });
  const made: TodoAnswer[] = [];
  while (made.length < count) {
    const data = Array.from({ length: Math.min(50, count - made.length) }, todo);
    made.push(...(await call('POST /todos/batch', { data })).body.data);
  }
  const rows = made.map(({ id }) => ({
    id,
    status: pick(['ready', 'in_progress', 'done']),
    capture_id: pick([null, null, ...captures]),
    is_suggested: random() < 0.2,
    archived_at: random() < 0.2 ? pick(instants) : null,
    minutes_saved: pick([null, 0, 7, 60]),
    created_at: pick(instants),
    updated_at: pick(instants),
  }));
  await tandem.db.rows(
    `update todos t set status = r.status, capture_id = r.capture_id, is_suggested = r.is_suggested,
      archived_at = r.archived_at, minutes_saved = r.minutes_saved, created_at = r.created_at, updated_at = r.updated_at
    from jsonb_populate_recordset(null::todos, $2::jsonb) r where t.workspace_id = $1 and t.id = r.id`,
    [workspaceId, JSON.stringify(rows)],
  );
  for (const table of ['todo_assignees', 'todo_labels']) {
    await tandem.db.rows(
      `update ${table} a set created_at = t.created_at from todos t
      where t.workspace_id = $1 and a.workspace_id = $1 and a.todo_id = t.id`,
      [workspaceId],
    );
  }
  const agentId = await assistantOf(tandem, workspaceId);
  await addRuns(
    tandem,
    workspaceId,
    agentId,
    made.filter(() => random() < 0.25).map(({ id }) => id),
    pick,
  );
  const todos: TodoAnswer[] = [];
  for (const { id } of made) todos.push((await call(`GET /todos/${id}`)).body);
  return { todos, lists, assignees, labels };
}
