import { newId } from '../../db/ids.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import type { Plan } from '../schedules/plan.ts';
import { plansOf, requireDistance } from '../schedules/planning.ts';
import { folded } from '../text.ts';
import { createPlain, isPlain } from './create-plain.ts';
import { GivenIds } from './given-ids.ts';
import { type NewRow, writeTodos } from './insert.ts';
import { parentLists, parentWithin } from './parents.ts';
import { type Assigned, References } from './references.ts';
import { findTodos, priorityRank } from './rows.ts';
import { startRun } from './runs.ts';
import { type NewTodo, type TodoAnswer, wholeBatch } from './shapes.ts';

/** Checks what a schema cannot: a blank text, two lists. `at` is a path prefix. @throws Failure 400. */
function requireConsistent(todo: NewTodo, at: string): void {
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

/** What the i-th new todo refers to. */
interface Referred {
  list: string | null;
  assignees: readonly Assigned[] | undefined;
  capture: string | null;
  parent: string | null;
  labels: readonly string[];
  /** The agent that starts at once. */
  worker: string | null;
  plan: Plan | null;
}

type PathOf = (index: number) => string;

/** Looks up what the todos refer to. @throws Failure 400, 404 with the `param` at fault. */
async function referencesOf(
  ctx: Context,
  todos: readonly NewTodo[],
  pathOf: PathOf,
  references: References,
): Promise<Referred[]> {
  const pathsOf = (field: string) => todos.map((_, index) => `${pathOf(index)}${field}`);
  const lists: (string | null)[] = [];
  for (const [index, todo] of todos.entries()) lists.push(await listOf(references, todo, pathOf(index)));
  const named = todos.map((todo) => todo.assignees ?? []);
  const assignees = await references.assignees(named, pathsOf('assignees'));
  const captures = await references.captures(
    todos.map((todo) => todo.captureId),
    pathsOf('captureId'),
  );
  const labels = await references.labels(
    todos.map((todo) => todo.labelIds),
    pathsOf('labelIds'),
  );
  const workers = todos.map((todo, index) =>
    todo.run ? references.worker(named[index] ?? [], assignees[index] ?? [], `${pathOf(index)}run`) : null,
  );
  const plans = await plansOf(
    ctx,
    todos.map((todo) => todo.schedule),
    (index) => `${pathOf(index)}schedule`,
  );
  for (const [index, plan] of plans.entries()) {
    if (plan) requireDistance(ctx.principal, plan, ctx.clock(), `${pathOf(index)}schedule`);
  }
  references.requireSound();
  return todos.map((todo, index) => ({
    list: lists[index] ?? null,
    assignees: todo.assignees && assignees[index],
    capture: captures[index] ?? null,
    parent: todo.parentTodoId ?? null,
    labels: labels[index] ?? [],
    worker: workers[index] ?? null,
    plan: plans[index] ?? null,
  }));
}

/** The row of a new todo, assigned to the caller unless it names assignees. */
function rowOf({ principal }: Context, todo: NewTodo, referred: Referred, place: number): NewRow {
  const { userId, kind, scopes } = principal;
  const { list, assignees, labels, capture, parent, plan } = referred;
  return {
    place,
    id: todo.id ?? newId(),
    title: todo.title ?? null,
    content: todo.content ?? null,
    priority: todo.priority ? priorityRank(todo.priority) : null,
    type: todo.type,
    list,
    due: todo.dueDate ?? null,
    capture,
    parent,
    suggested: false,
    source: kind === 'agent' ? 'agent_created' : 'user_created',
    created_from: todo.id === undefined ? null : GivenIds.originOf(todo),
    assignees: assignees ?? [{ user: userId, agent: null }],
    labels,
    plan: plan && { ...plan, userId, scopes: [...scopes] },
    folded_title: folded(todo.title ?? ''),
    folded_content: folded(todo.content ?? ''),
  };
}

/** Inserts the rows and starts `workers[i]` on the i-th todo, all or none. @throws Failure 402. */
function writeAndStart(ctx: Context, rows: readonly NewRow[], workers: readonly (string | null)[]) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const created = await writeTodos(db, workspaceId, rows);
    for (const [place, todo] of created.entries()) {
      const agentId = workers[place];
      if (agentId) await startRun({ ...ctx, db }, { todo, agentId, trigger: 'create' });
    }
    const ids = created.map((todo) => todo.id);
    const current = new Map((await findTodos(db, workspaceId, ids)).map((todo) => [todo.id, todo]));
    return created.map((todo) => current.get(todo.id) ?? todo);
  });
}

/** The todos with what they refer to: without a list of its own, a sub-todo is in the list of its parent. */
function filed(
  todos: readonly NewTodo[],
  referred: readonly Referred[],
  lists: readonly (string | null)[],
): Referred[] {
  return referred.map((each, place) => {
    const todo = todos[place];
    const parent = todo && referred[parentWithin(todos, todo)];
    return { ...each, list: each.list ?? lists[place] ?? parent?.list ?? null };
  });
}

/** As `referencesOf`, with the parents, which stay locked in a transaction. */
async function referredBy(ctx: Context, todos: readonly NewTodo[], pathOf: PathOf): Promise<Referred[]> {
  const references = new References(ctx.db, ctx.principal);
  const hasParents = todos.some(({ parentTodoId }) => parentTodoId !== undefined);
  const lists = hasParents ? await parentLists(ctx, todos, pathOf, references) : [];
  return filed(todos, await referencesOf(ctx, todos, pathOf, references), lists);
}

/** Creates todos; in a transaction where they have parents, which stay locked. */
async function insert(ctx: Context, todos: readonly NewTodo[], pathOf: PathOf) {
  const referred = await referredBy(ctx, todos, pathOf);
  const rows = referred.flatMap((each, place) => {
    const todo = todos[place];
    return todo ? [rowOf(ctx, todo, each, place)] : [];
  });
  const workers = referred.map(({ worker }) => worker);
  if (workers.every((worker) => worker === null)) return writeTodos(ctx.db, ctx.principal.workspaceId, rows);
  return writeAndStart(ctx, rows, workers);
}

/** Creates todos that do not exist, all or none, and starts the agents that they ask for. */
async function createNew(ctx: Context, todos: readonly NewTodo[], pathOf: PathOf): Promise<TodoAnswer[]> {
  if (todos.every(({ parentTodoId }) => parentTodoId === undefined)) return insert(ctx, todos, pathOf);
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const made = await insert(tx, todos, pathOf);
    // A parent of the same request was read before its sub-todos were there.
    const isParent = ({ id }: TodoAnswer) => made.some(({ parentTodoId }) => parentTodoId === id);
    const again = await findTodos(
      db,
      ctx.principal.workspaceId,
      made.filter(isParent).map(({ id }) => id),
    );
    return made.map((todo) => again.find(({ id }) => id === todo.id) ?? todo);
  });
}

/**
 * Creates todos, all or none. `pathOf` gives the path prefix of the i-th. One whose id exists and that was created with
 * the same values is returned as it is now, whoever was first.
 */
async function createTodos(ctx: Context, todos: readonly NewTodo[], pathOf: PathOf): Promise<TodoAnswer[]> {
  for (const [index, todo] of todos.entries()) requireConsistent(todo, pathOf(index));
  if (todos.every(({ id }) => id === undefined)) return createNew(ctx, todos, pathOf);
  const given = new GivenIds(ctx, todos, pathOf);
  const of = (placed: readonly { todo: NewTodo; index: number }[]) => {
    const at: PathOf = (place) => pathOf(placed[place]?.index ?? place);
    return [placed.map(({ todo }) => todo), at] as const;
  };
  return given.create(
    (tx, missing) => createNew(tx, ...of(missing)),
    (placed) => referredBy(ctx, ...of(placed)),
  );
}

/** Creates a todo, and starts its agent when `run` is set. @throws Failure 400, 404 with the `param` at fault, 402. */
export async function createTodo(ctx: Context, input: NewTodo): Promise<TodoAnswer> {
  requireConsistent(input, '');
  if (isPlain(input)) return createPlain(ctx, input);
  const [todo] = await createTodos(ctx, [input], () => '');
  if (!todo) throw new Error('createTodos returned no todo');
  return todo;
}

/** Creates todos, all or none, and returns them in order. @throws Failure 400, 404 with the `param` at fault, 402. */
export async function batchCreateTodos(ctx: Context, { data }: { data: readonly NewTodo[] }) {
  return wholeBatch(await createTodos(ctx, data, (index) => `data[${index}].`));
}
