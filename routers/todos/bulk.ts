import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import type { World } from '../chats/turns.ts';
import { invalid, notFound } from '../errors.ts';
import { settleSchedules } from '../schedules/states.ts';
import { changeOf, requireText } from './change.ts';
import { findTodos, lockTodos } from './rows.ts';
import type { TodoAnswer, TodoPatch } from './shapes.ts';
import { changeHeld } from './update.ts';

class DryRun extends Error {
  readonly todos: TodoAnswer[];
  constructor(todos: TodoAnswer[]) {
    super('dry run');
    this.todos = todos;
  }
}

const archive = `update todos set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = any($2::uuid[]) and archived_at is null`;

/**
 * Changes or archives up to a hundred todos, all or none, and returns them in the order of `ids`. A dry run answers
 * what would be, changes nothing and starts no agent. @throws Failure 400, 404 with `param` naming the id, 402.
 */
export async function bulkUpdate(
  world: World,
  principal: Principal,
  request: { ids: string[]; patch?: TodoPatch | undefined; archive?: true | undefined; dryRun: boolean },
): Promise<TodoAnswer[]> {
  const { workspaceId } = principal;
  const { ids, patch, dryRun } = request;
  if ((patch === undefined) === (request.archive === undefined))
    throw invalid('patch', 'Pass either patch or archive: true.');
  const order = [...new Set(ids.map((id) => id.toLowerCase()))];
  const change = patch && (await changeOf(world, workspaceId, patch, 'patch.'));
  if (patch) await requireText(world.db, workspaceId, order, patch, 'patch.');
  const write = async (db: Db) => {
    if (patch && change) {
      const before = await findTodos(db, workspaceId, order);
      return changeHeld({ ...world, db }, principal, before, patch, change, { dryRun, at: 'patch.' });
    }
    await db.rows(archive, [workspaceId, order]);
    await settleSchedules(db, workspaceId, order, world.clock());
    return findTodos(db, workspaceId, order);
  };
  const work = async (db: Db) => {
    const found = await lockTodos(db, workspaceId, order);
    const missing = ids.findIndex((id) => !found.has(id.toLowerCase()));
    if (missing >= 0) throw notFound('todo', `ids[${missing}]`);
    const todos = new Map((await write(db)).map((todo) => [todo.id, todo]));
    const answer = order.flatMap((id) => todos.get(id) ?? []);
    if (dryRun) throw new DryRun(answer);
    return answer;
  };
  try {
    return await world.db.transaction(work);
  } catch (error) {
    if (error instanceof DryRun) return error.todos;
    throw error;
  }
}
