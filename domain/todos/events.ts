import type { Db } from '../../db/client.ts';
import { changedFieldsOf, recordVersions } from '../events/changes.ts';
import type { NewEvent } from '../events/record.ts';
import { turnTaker } from '../slices.ts';
import type { TodoAnswer } from './shapes.ts';

function typeOf(before: TodoAnswer, after: TodoAnswer): NewEvent['type'] {
  if (before.isArchived !== after.isArchived) return after.isArchived ? 'todo.archived' : 'todo.restored';
  const [was, is] = [before.status === 'done', after.status === 'done'];
  if (was === is) return 'todo.updated';
  return is ? 'todo.completed' : 'todo.reopened';
}

/** The event of a change of one todo; null when there is none. */
function eventOf(before: TodoAnswer, after: TodoAnswer): NewEvent | null {
  const { subTodoCount, doneSubTodoCount } = after;
  const changedFields = changedFieldsOf({ ...before, subTodoCount, doneSubTodoCount }, after);
  if (changedFields.length === 0 && before.updatedAt === after.updatedAt) return null;
  return { type: typeOf(before, after), objectId: after.id, changedFields };
}

/**
 * Records the changes of locked todos, in the order of `before`: one event for each whose answer differs. `after` has
 * the same todos, in any order; the numbers of its sub-todos are not its own. Returned with the versions that they have
 * now.
 */
export async function recordTodoChanges(
  db: Db,
  workspaceId: string,
  before: readonly TodoAnswer[],
  after: readonly TodoAnswer[],
): Promise<TodoAnswer[]> {
  const current = new Map(after.map((todo) => [todo.id, todo]));
  const events: NewEvent[] = [];
  const takeTurn = turnTaker();
  for (const old of before) {
    const todo = current.get(old.id);
    const event = todo && eventOf(old, todo);
    if (event) events.push(event);
    await takeTurn();
  }
  const versions = await recordVersions(db, workspaceId, events);
  return after.map((todo) => ({ ...todo, ...versions.get(todo.id) }));
}

/** In SQL: the type of the event of a todo whose status was `old_status`, from the changed row `c`. */
export const statusEventColumn = `case when (c.status = 'done') = (c.old_status = 'done') then 'todo.updated'
  when c.status = 'done' then 'todo.completed' else 'todo.reopened' end`;
