import { closeChats } from '../chats/close.ts';
import type { World } from '../chats/turns.ts';
import { conflict } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { settleSchedules } from '../schedules/states.ts';
import { findTodo, lockTodos, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { Todo, type TodoAnswer } from './shapes.ts';

const archive = `update todos set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is null returning id`;
const detach = 'update chats set todo_id = null where workspace_id = $1 and todo_id = $2';
const erase = 'delete from todos where workspace_id = $1 and id = $2';
const restore = `with changed as (
    update todos set archived_at = null, updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = $2 and archived_at is not null returning *
  ) select ${todoColumns()} from changed t`;

/**
 * Archives a todo, or erases it for good when `permanent`: its chats stay, and an agent at work in one stops.
 * @throws Failure 404, 409 erasing what an agent has run, 412.
 */
export function deleteTodo(
  world: World,
  workspaceId: string,
  todoId: string,
  permanent: boolean,
  ifMatch?: readonly string[],
) {
  const key = [workspaceId, todoId];
  return world.db.transaction(async (tx) => {
    await lockTodos(tx, workspaceId, [todoId]);
    const todo = await findTodo(tx, workspaceId, todoId);
    requireMatch(ifMatch, Todo, todo);
    const deleted = { object: 'deleted' as const, id: todo.id, deleted: true as const };
    if (permanent) {
      if (todo.latestRun) throw conflict('An agent has run this todo, so it stays on record. Archive it instead.');
      await closeChats({ ...world, db: tx }, workspaceId, [todo.id]);
      await tx.rows(detach, key);
      await tx.rows(erase, key);
      return { ...deleted, recoverable: false };
    }
    const archived = await tx.rows(archive, key);
    if (todo.scheduleType !== null) await settleSchedules(tx, workspaceId, [todo.id], world.clock());
    return { ...deleted, alreadyArchived: archived.length === 0, recoverable: true };
  });
}

/** Brings an archived todo back, and its schedule; one that is active stays as it is. @throws Failure 404. */
export function restoreTodo(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  workspaceId: string,
  todoId: string,
): Promise<TodoAnswer> {
  return db.transaction(async (tx) => {
    const [row] = await tx.rows<TodoRow>(restore, [workspaceId, todoId]);
    const todo = row ? todoOf(row) : await findTodo(tx, workspaceId, todoId);
    if (!row || todo.scheduleType === null) return todo;
    await settleSchedules(tx, workspaceId, [todo.id], clock());
    return findTodo(tx, workspaceId, todoId);
  });
}
