import type { Principal } from '../base.ts';
import type { World } from '../chats/turns.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { startAssigned } from './assignment.ts';
import { apply, type Change, changeOf, requireText } from './change.ts';
import { finish } from './completion.ts';
import { findTodo, findTodos, lockTodos } from './rows.ts';
import { reschedule } from './scheduling.ts';
import { Todo, type TodoAnswer, type TodoPatch } from './shapes.ts';

/**
 * Changes todos that are locked, with what follows: chats of what is done end, schedules rest and resume, and agents
 * that were not assigned before start, unless it is a dry run. The answers are in no order. Call it in a transaction;
 * `at` is the path prefix of the patch. @throws Failure 400, 402, 409 when too many agents started each other.
 */
export async function changeHeld(
  world: World,
  principal: Principal,
  before: readonly TodoAnswer[],
  { status }: TodoPatch,
  change: Change,
  { dryRun = false, at = '' } = {},
): Promise<TodoAnswer[]> {
  const { workspaceId } = principal;
  const ids = before.map((todo) => todo.id);
  const after = await apply(world.db, workspaceId, ids, change);
  if (status === 'done') await finish(world, principal, before);
  const rescheduled = await reschedule(world, principal, before, change, at);
  const assigned = { before, after, assignees: change.assignees ?? [], dryRun };
  const started = await startAssigned(world, principal, assigned);
  return started || rescheduled || status === 'done' ? findTodos(world.db, workspaceId, ids) : after;
}

/**
 * Changes one todo. A plain patch is one statement, also one of the status of a todo that no agent and no schedule has
 * to do with; whatever concerns agents, assignees, schedules and preconditions locks the row first.
 * @throws Failure 400, 404, 402, 409 when too many agents started each other, 412.
 */
export async function updateTodo(
  world: World,
  principal: Principal,
  todoId: string,
  patch: TodoPatch,
  ifMatch?: readonly string[],
): Promise<TodoAnswer> {
  const { workspaceId } = principal;
  const change = await changeOf(world, workspaceId, patch);
  await requireText(world.db, workspaceId, [todoId], patch);
  const plain = [change.assignees, change.schedule, change.schedulePaused, ifMatch].every((each) => each === undefined);
  if (plain) {
    const only = patch.status === undefined ? 'any' : patch.status === 'done' ? 'untouched' : 'unscheduled';
    const [todo] = await apply(world.db, workspaceId, [todoId], change, only);
    if (todo) return todo;
    if (only === 'any') throw notFound('todo', 'todoId');
  }
  return world.db.transaction(async (db) => {
    await lockTodos(db, workspaceId, [todoId]);
    const before = await findTodo(db, workspaceId, todoId);
    requireMatch(ifMatch, Todo, before);
    const [todo] = await changeHeld({ ...world, db }, principal, [before], patch, change);
    if (!todo) throw new Error('A todo vanished while it was locked');
    return todo;
  });
}
