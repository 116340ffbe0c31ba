import type { Principal } from '../base.ts';
import type { World } from '../chats/turns.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { startAssigned } from './assignment.ts';
import { apply, type Change, changeOf, requireText } from './change.ts';
import { finish } from './completion.ts';
import { findTodo, findTodos, lockTodos } from './rows.ts';
import { Todo, type TodoAnswer, type TodoPatch } from './shapes.ts';

/**
 * Changes todos that are locked, with what follows for agents: chats of what is done end, and agents that were not
 * assigned before start, unless it is a dry run. The answers are in no order. Call it in a transaction.
 * @throws Failure 402, 409 when too many agents started each other.
 */
export async function changeHeld(
  world: World,
  principal: Principal,
  before: readonly TodoAnswer[],
  { status }: TodoPatch,
  change: Change,
  dryRun = false,
): Promise<TodoAnswer[]> {
  const { workspaceId } = principal;
  const ids = before.map((todo) => todo.id);
  const after = await apply(world.db, workspaceId, ids, change);
  if (status === 'done') await finish(world, principal, before);
  const assigned = { before, after, assignees: change.assignees ?? [], dryRun };
  const started = await startAssigned(world, principal, assigned);
  return started || status === 'done' ? findTodos(world.db, workspaceId, ids) : after;
}

/**
 * Changes one todo. A plain patch is one statement, also one that completes a todo that no agent has to do with;
 * whatever concerns agents, assignees and preconditions lock the row first.
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
  const change = await changeOf(world.db, workspaceId, patch);
  await requireText(world.db, workspaceId, [todoId], patch);
  if (change.assignees === undefined && ifMatch === undefined) {
    const completes = patch.status === 'done';
    const [todo] = await apply(world.db, workspaceId, [todoId], change, completes);
    if (todo) return todo;
    if (!completes) throw notFound('todo', 'todoId');
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
