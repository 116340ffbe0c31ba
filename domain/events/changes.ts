import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { EventParents } from '../../db/schema/events.ts';
import { type NewEvent, recordEvents, recordingPart } from './record.ts';

/** The fields of an answer that have other values now, in its order, apart from those that every change moves. */
export function changedFieldsOf<Answer extends object>(before: Answer, after: Answer): string[] {
  const names = Object.keys(after) as (keyof Answer & string)[];
  const differs = (name: keyof Answer) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return names.filter((name) => name !== 'updatedAt' && name !== 'version' && differs(name));
}

/** In SQL: the parents of a todo, from a relation `c` shaped like `todos`. */
export const todoParentsColumn = `jsonb_strip_nulls(jsonb_build_object('todoListId', c.todo_list_id, 'captureId', c.capture_id,
  'parentTodoId', c.parent_todo_id))`;

/** The parents of a todo. */
export function todoParents(todo: {
  todoListId: string;
  captureId: string | null;
  parentTodoId: string | null;
}): EventParents {
  const { todoListId, captureId, parentTodoId } = todo;
  return { todoListId, ...(captureId !== null && { captureId }), ...(parentTodoId !== null && { parentTodoId }) };
}

/** What the record of a change changes of a todo itself. */
interface Versioned {
  version: number;
  updatedAt: string;
}

/**
 * Records one change of each of these todos, and counts it in their versions. It locks the todos, so call it before the
 * locks of their chats and schedules are taken, or with the todos locked already. Returns the new version and time of
 * each.
 */
export async function recordVersions(
  db: Db,
  workspaceId: string,
  events: readonly NewEvent[],
): Promise<Map<string, Versioned>> {
  if (events.length === 0) return new Map();
  const bindings = new Bindings();
  const workspace = bindings.bind(workspaceId);
  const ids = bindings.bind(events.map(({ objectId }) => objectId));
  const changed = `changed as (update todos set revision = revision + 1, updated_at = greatest(now(), updated_at)
    where workspace_id = ${workspace} and id = any(${ids}::uuid[]) returning *)`;
  const recorded = recordingPart(bindings, db.origin, {
    events,
    changed: 'changed',
    workspace,
    parents: todoParentsColumn,
    version: 'c.revision',
  });
  const text = `with ${changed}, ${recorded} select id, revision as version, updated_at as "updatedAt" from changed`;
  const rows = await db.rows<Versioned & { id: string }>(text, bindings.values);
  return new Map(rows.map(({ id, ...versioned }) => [id, versioned]));
}

/** Records that fields of a todo changed, where its answer is not at hand, such as the fields of its latest run. */
export async function recordTodoUpdate(
  db: Db,
  workspaceId: string,
  todoId: string,
  changedFields: readonly string[],
): Promise<void> {
  if (changedFields.length === 0) return;
  await recordVersions(db, workspaceId, [{ type: 'todo.updated', objectId: todoId, changedFields }]);
}

// While the row is locked, no event of the workspace gets its number: so none is moved between the two updates.
const create = 'insert into event_positions (workspace_id) values ($1) on conflict do nothing';
const hold = 'select 1 from event_positions where workspace_id = $1 for update';
const forget = (table: 'event_queue' | 'events') => `update ${table} set changed_fields = '{}'
  where workspace_id = $1 and object_id = any($2::uuid[]) and cardinality(changed_fields) > 0`;

/**
 * Records what was erased. Removes everything but ids from the earlier events of these objects, and of those in
 * `within`, which were erased with them. Call it at the end of the transaction, when it takes no more locks.
 */
export async function recordErasure(
  db: Db,
  workspaceId: string,
  events: readonly NewEvent[],
  within: readonly string[] = [],
): Promise<void> {
  const ids = [...events.filter(({ type }) => type.endsWith('.deleted')).map(({ objectId }) => objectId), ...within];
  if (ids.length > 0) {
    await db.rows(create, [workspaceId]);
    await db.rows(hold, [workspaceId]);
    await db.rows(forget('event_queue'), [workspaceId, ids]);
    await db.rows(forget('events'), [workspaceId, ids]);
  }
  await recordEvents(db, workspaceId, events);
}
