import type { Actor } from '../api/acting.ts';
import { problemOf } from '../api/problem.ts';
import { todosOf } from '../api/queries.ts';
import { readTagged, sendTagged, type Tagged } from '../api/tagged.ts';
import { type Base, type Change, mergeChange, type Todo } from './merge.ts';
import type { Write } from './write.ts';

/*
 * Sends a write. Everything here may be repeated: a creation has its id and its key, and anything else leaves the same
 * state.
 */

/** A part of a write that was not stored, because somebody else changed the same fields. */
export interface Refusal {
  change: Change;
  theirs: Todo;
}

/** What came of a write that was sent. */
export interface Answer {
  /** The todos as the service has them now, where it says so. */
  todos: readonly Todo[];
  /** The version that the service has now, of a write of one todo. */
  tagged: Tagged<Todo> | null;
  conflicts: readonly Refusal[];
}

/** How often a change is sent, merged with those of others, before its error counts. */
const maxMerges = 5;
const readMs = 60_000;

const pathOf = (todoId: string) => `/todos/${encodeURIComponent(todoId)}`;
const isEmpty = (change: Change) => Object.keys(change).length === 0;
const read = (todoId: string, actor: Actor) => readTagged<Todo>(pathOf(todoId), AbortSignal.timeout(readMs), actor);

/** One for each field, so that each is decided and kept by itself. */
function refusalsOf(found: ReturnType<typeof mergeChange>['conflicts']): Refusal[] {
  return found.map(({ mine, current }) => ({ change: mine, theirs: current }));
}

/** Changes one todo, merged with what others changed since `base`. @throws ProblemError. */
async function update(
  todoId: string,
  base: Base,
  known: Tagged<Todo> | null,
  change: Change,
  actor: Actor,
): Promise<Answer> {
  let at = known ?? (await read(todoId, actor));
  // What is a conflict with a version that this window had may be none with that of now.
  if (known && mergeChange(base, at.resource, change).conflicts.length > 0) at = await read(todoId, actor);
  let rest = change;
  const conflicts: Refusal[] = [];
  for (let round = 1; ; round++) {
    const merged = mergeChange(base, at.resource, rest);
    conflicts.push(...refusalsOf(merged.conflicts));
    rest = merged.rest;
    if (isEmpty(rest)) return { todos: [at.resource], tagged: at, conflicts };
    try {
      at = await sendTagged<Todo>(`PATCH ${pathOf(todoId)}`, { tag: at.tag, body: rest, actor });
      return { todos: [at.resource], tagged: at, conflicts };
    } catch (error) {
      if (problemOf(error).status !== 412 || round === maxMerges) throw error;
      at = await read(todoId, actor);
    }
  }
}

/** Todos as they are now, without those that were erased. */
const readMany = (todos: readonly Todo[]) => todosOf(todos.map(({ id }) => id));

/**
 * Changes several todos. The service compares no versions in a request for many, so a change that has waited is
 * compared here. Todos whose fields others changed are left out, and so are erased ones: the service would refuse all
 * because of one of them.
 */
async function updateMany(todos: readonly Todo[], change: Change, hasWaited: boolean, actor: Actor): Promise<Answer> {
  let ids = todos.map(({ id }) => id);
  const conflicts: Refusal[] = [];
  if (hasWaited) {
    const before = new Map(todos.map((todo) => [todo.id, todo]));
    const found = await readMany(todos);
    for (const now of found) {
      const { conflicts: refused } = mergeChange(before.get(now.id) ?? now, now, change);
      conflicts.push(...refusalsOf(refused));
    }
    ids = found.map(({ id }) => id).filter((id) => !conflicts.some(({ theirs }) => theirs.id === id));
  }
  if (ids.length === 0) return { todos: [], tagged: null, conflicts };
  const { resource } = await sendTagged<{ data: Todo[] }>('POST /todos/bulk', { body: { ids, patch: change }, actor });
  return { todos: resource.data, tagged: null, conflicts };
}

/**
 * Archives or restores one todo, if it still has the known version. A change that has waited is sent also for a newer
 * version: the todo may have been moved already before the answer was lost, or others changed something else.
 */
async function move(
  todo: Todo,
  isArchived: boolean,
  known: Tagged<Todo> | null,
  hasWaited: boolean,
  actor: Actor,
): Promise<Answer> {
  const request = isArchived ? (`DELETE ${pathOf(todo.id)}` as const) : (`POST ${pathOf(todo.id)}/restore` as const);
  let at = known;
  for (let round = 1; ; round++) {
    try {
      const { tag } = await sendTagged<object>(request, { tag: at?.tag, actor });
      return { todos: [], tagged: { resource: { ...(at?.resource ?? todo), isArchived }, tag }, conflicts: [] };
    } catch (error) {
      if (problemOf(error).status !== 412) throw error;
      at = await read(todo.id, actor);
      if (at.resource.isArchived === isArchived) return { todos: [at.resource], tagged: at, conflicts: [] };
      if (!hasWaited || round === maxMerges) throw error;
    }
  }
}

async function sendOnce({ id, action, todos, base, known }: Write, hasWaited: boolean, actor: Actor): Promise<Answer> {
  const [todo] = todos;
  if (!todo) return { todos: [], tagged: null, conflicts: [] };
  if (action.operation === 'create') {
    const tagged = await sendTagged<Todo>('POST /todos', { key: id, body: action.input, actor });
    return { todos: [tagged.resource], tagged, conflicts: [] };
  }
  if (action.operation === 'update')
    return todos.length === 1
      ? update(todo.id, base ?? todo, known, action.change, actor)
      : updateMany(todos, action.change, hasWaited, actor);
  const isArchived = action.operation === 'archive';
  if (todos.length === 1) return move(todo, isArchived, known, hasWaited, actor);
  const ids = (hasWaited ? await readMany(todos) : todos).map((each) => each.id);
  if (ids.length === 0) return { todos: [], tagged: null, conflicts: [] };
  const { resource } = await sendTagged<{ data: Todo[] }>('POST /todos/bulk', { body: { ids, archive: true }, actor });
  return { todos: resource.data, tagged: null, conflicts: [] };
}

/**
 * Sends a write of `actor`. `hasWaited`: others may have changed its todos since it was made. @throws ProblemError,
 * TandemError; with the reason `session_changed` where the session of the browser is that of somebody else.
 */
export async function send(write: Write, hasWaited: boolean, actor: Actor): Promise<Answer> {
  try {
    return await sendOnce(write, hasWaited, actor);
  } catch (error) {
    // One of several was erased a moment ago.
    if (hasWaited || write.todos.length < 2 || problemOf(error).status !== 404) throw error;
    return sendOnce(write, true, actor);
  }
}
