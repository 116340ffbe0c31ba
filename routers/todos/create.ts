import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import type { World } from '../chats/turns.ts';
import { invalid } from '../errors.ts';
import { folded } from '../folding.ts';
import type { Plan } from '../schedules/plan.ts';
import { plansOf, requireDistance } from '../schedules/planning.ts';
import type { ScheduleOwner } from '../schedules/rows.ts';
import { type Assigned, References } from './references.ts';
import { findTodos, priorityRank, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { startRun } from './runs.ts';
import type { NewTodo, TodoAnswer } from './shapes.ts';

const insertSchedules = `, scheduled as (
    insert into todo_schedules
      (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, next_run_at, user_id, scopes)
    select $1, i.id, s.kind, s.rrule, s.timezone, s."startsAt", 'pending', s."nextRunAt", s."userId", s.scopes
    from input i cross join lateral jsonb_to_record(i.plan) s(kind text, rrule text, timezone text,
      "startsAt" timestamptz, "nextRunAt" timestamptz, "userId" uuid, scopes text[])
    where i.plan is not null returning *
  )`;

/*
 * Makes a batch of todos in one statement: rows, assignees and search text, read back as they are now. The batch is one
 * JSON parameter, so that the text is the same for one todo and for fifty.
 */
const insertOf = (scheduled: boolean) => `with input as materialized (
    select * from jsonb_to_recordset($2::jsonb) as r(place int, id uuid, title text, content text, priority smallint, type text,
      list uuid, due date, capture uuid, suggested boolean, source text, assignees jsonb, folded_title text,
      folded_content text, plan jsonb)
  ), made as (
    insert into todos (workspace_id, id, title, content, priority, type, todo_list_id, due_date, capture_id,
      is_suggested, source, is_scheduled)
    select $1, id, title, content, priority, type,
      coalesce(list, (select l.id from todo_lists l where l.workspace_id = $1 and l.is_default)), due, capture,
      suggested, source, plan is not null
    from input order by place returning *
  ), indexed as (
    insert into todo_search (workspace_id, todo_id, title, content) select $1, id, folded_title, folded_content from input
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
    select $1, i.id, a.position, (a.assignee->>'user')::uuid, (a.assignee->>'agent')::uuid, m.created_at
    from input i join made m on m.id = i.id cross join lateral jsonb_array_elements(i.assignees) with ordinality a(assignee, position)
    returning *
  )${scheduled ? insertSchedules : ''}
  select ${todoColumns('assigned', scheduled ? 'scheduled' : 'todo_schedules')} from made t join input i on i.id = t.id order by i.place`;
const [insertPlain, insertScheduled] = [insertOf(false), insertOf(true)];

/** Reports what a schema cannot: text that says nothing, two lists. `at` is a path prefix. */
function requireSense(todo: NewTodo, at: string): void {
  if (todo.title === undefined && (todo.content ?? '').trim() === '') {
    throw invalid(`${at}title`, 'Give a title or a content, or both.');
  }
  if (todo.todoListId !== undefined && todo.todoListName !== undefined) {
    throw invalid(`${at}todoListName`, 'Pass todoListId or todoListName, not both.');
  }
}

function listOf(references: References, todo: NewTodo, at: string): Promise<string | null> | null {
  if (todo.todoListId !== undefined) return references.listById(todo.todoListId, `${at}todoListId`);
  if (todo.todoListName !== undefined) return references.listByName(todo.todoListName, `${at}todoListName`);
  return null;
}

/** A row that is about to be written. `list` null: the default list. */
export interface NewRow {
  place: number;
  id: string;
  title: string | null;
  content: string | null;
  priority: number | null;
  type: TodoAnswer['type'];
  list: string | null;
  due: string | null;
  capture: string | null;
  suggested: boolean;
  source: TodoAnswer['source'];
  assignees: readonly Assigned[];
  plan: (Plan & ScheduleOwner) | null;
  folded_title: string;
  folded_content: string;
}

/** Writes the rows and returns the todos in their order. What they refer to must be there. */
export async function writeTodos(db: Db, workspaceId: string, rows: readonly NewRow[]): Promise<TodoAnswer[]> {
  const insert = rows.some((row) => row.plan) ? insertScheduled : insertPlain;
  return (await db.rows<TodoRow>(insert, [workspaceId, JSON.stringify(rows)])).map(todoOf);
}

/** Writes the rows and starts `workers[i]` on the i-th todo, all or none. @throws Failure 402. */
function writeAndStart(world: World, principal: Principal, rows: readonly NewRow[], workers: (string | null)[]) {
  const { workspaceId } = principal;
  return world.db.transaction(async (db) => {
    const made = await writeTodos(db, workspaceId, rows);
    for (const [place, todo] of made.entries()) {
      const agentId = workers[place];
      if (agentId) await startRun({ ...world, db }, principal, { todo, agentId, trigger: 'create' });
    }
    const ids = made.map((todo) => todo.id);
    const now = new Map((await findTodos(db, workspaceId, ids)).map((todo) => [todo.id, todo]));
    return made.map((todo) => now.get(todo.id) ?? todo);
  });
}

/**
 * Makes todos, all or none, starts the agents that they ask for, and returns them in order. `pathOf` gives the path
 * prefix of the i-th in the request. @throws Failure 400, 404 with the `param` at fault, 402.
 */
export async function createTodos(
  world: World,
  principal: Principal,
  todos: readonly NewTodo[],
  pathOf: (index: number) => string = () => '',
): Promise<TodoAnswer[]> {
  for (const [index, todo] of todos.entries()) requireSense(todo, pathOf(index));
  const { workspaceId, userId } = principal;
  const references = new References(world.db, workspaceId);
  const lists: (string | null)[] = [];
  for (const [index, todo] of todos.entries()) lists.push(await listOf(references, todo, pathOf(index)));
  const named = todos.map((todo) => todo.assignees ?? []);
  const assignees = await references.assignees(
    named,
    todos.map((_, index) => `${pathOf(index)}assignees`),
  );
  const captures = await references.captures(
    todos.map((todo) => todo.captureId),
    todos.map((_, index) => `${pathOf(index)}captureId`),
  );
  const workers = todos.map((todo, place) =>
    todo.run ? references.worker(named[place] ?? [], assignees[place] ?? [], `${pathOf(place)}run`) : null,
  );
  references.requireSound();
  const plans = await plansOf(
    world,
    workspaceId,
    todos.map((todo) => todo.schedule),
    (place) => `${pathOf(place)}schedule`,
  );
  for (const [place, plan] of plans.entries()) {
    if (plan) requireDistance(principal, plan, world.clock(), `${pathOf(place)}schedule`);
  }
  const me: Assigned[] = [{ user: userId, agent: null }];
  const source = principal.kind === 'agent' ? 'agent_created' : 'user_created';
  const rows = todos.map(
    (todo, place): NewRow => ({
      place,
      id: newId(),
      title: todo.title ?? null,
      content: todo.content ?? null,
      priority: todo.priority ? priorityRank(todo.priority) : null,
      type: todo.type,
      list: lists[place] ?? null,
      due: todo.dueDate ?? null,
      capture: captures[place] ?? null,
      suggested: false,
      source,
      assignees: (todo.assignees && assignees[place]) ?? me,
      plan: plans[place] ? { ...plans[place], userId, scopes: [...principal.scopes] } : null,
      folded_title: folded(todo.title ?? ''),
      folded_content: folded(todo.content ?? ''),
    }),
  );
  if (workers.every((worker) => worker === null)) return writeTodos(world.db, workspaceId, rows);
  return writeAndStart(world, principal, rows, workers);
}
