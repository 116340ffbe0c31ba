import type { Db } from '../../db/client.ts';

/* Sub-todos of todos: one level, so a todo that has some is no sub-todo itself. */

/** Sub-todos of one todo at most: they are archived, restored and erased with it in one transaction. */
export const maxSubTodos = 200;

/** How many sub-todos a todo has, and how many of them are done. */
export type SubTodoCell = [all: number, done: number];

/**
 * The cell of a relation `t` shaped like `todos`, of the sub-todos that lists show; null for a todo that never had any,
 * as `has_had_sub_todos` says without a look-up.
 */
export const subTodosColumn = `case when t.has_had_sub_todos then (
      select json_build_array(count(*), count(*) filter (where s.status = 'done'))
      from todos s where s.workspace_id = $1 and s.parent_todo_id = t.id
        and s.archived_at is null and not s.is_suggested) end as "subTodos"`;

const ofParents = 'from todos where workspace_id = $1 and parent_todo_id = any($2::uuid[])';
const anyOne = `select 1 ${ofParents} limit 1`;
const all = `select id ${ofParents} order by id for update`;
const active = `select id ${ofParents} and archived_at is null order by id for update`;
// `archived_at` is the time of the transaction: those archived by themselves, before or later, have another one.
const together = `select s.id from todos s join todos t on t.workspace_id = s.workspace_id and t.id = s.parent_todo_id
  where t.workspace_id = $1 and t.id = any($2::uuid[]) and s.archived_at = t.archived_at order by s.id for update of s`;

const counted = `select parent_todo_id as id, count(*)::int as count ${ofParents} and archived_at is null group by 1`;

/** `archivedTogether`: those that were archived by the archiving of their parent. */
const statements = { all, active, archivedTogether: together };

/** Whether a todo has sub-todos, archived ones included. */
export async function hasSubTodos(db: Db, workspaceId: string, todoId: string): Promise<boolean> {
  return (await db.rows(anyOne, [workspaceId, [todoId]])).length > 0;
}

/**
 * Locks sub-todos of these locked todos, and returns their ids. While a todo is locked, no sub-todo is added to it.
 */
export async function lockSubTodos(
  db: Db,
  workspaceId: string,
  parentIds: readonly string[],
  which: keyof typeof statements,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(statements[which], [workspaceId, parentIds]);
  return rows.map(({ id }) => id);
}

/** How many sub-todos that are not archived these locked todos have; those without are left out. */
export async function countActiveSubTodos(
  db: Db,
  workspaceId: string,
  parentIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.rows<{ id: string; count: number }>(counted, [workspaceId, parentIds]);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
