import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { type Failure, invalid, notFound } from '../errors.ts';
import type { References } from './references.ts';
import { lockTodos } from './rows.ts';
import type { NewTodo } from './shapes.ts';
import { maxSubTodos } from './sub-todos.ts';

interface ParentFacts {
  id: string;
  parentTodoId: string | null;
  isArchived: boolean;
  isSuggested: boolean;
  /** Its list; null when that is archived. */
  listId: string | null;
  /** Its sub-todos, archived ones too. */
  count: number;
}

const facts = `select t.id, t.parent_todo_id as "parentTodoId", t.archived_at is not null as "isArchived",
    t.is_suggested as "isSuggested", case when l.archived_at is null then l.id end as "listId",
    (select count(*)::int from todos s where s.workspace_id = $1 and s.parent_todo_id = t.id) as count
  from todos t join todo_lists l on l.workspace_id = t.workspace_id and l.id = t.todo_list_id
  where t.workspace_id = $1 and t.id = any($2::uuid[])`;
const anyChild = 'select 1 from todos where workspace_id = $1 and parent_todo_id = any($2::uuid[]) limit 1';

const twoLevels = 'This todo is a sub-todo, and sub-todos have none of their own. Use the todo that it is a part of.';

/** Why `added` sub-todos cannot be added to a todo; undefined when they can. */
function faultOf(parent: ParentFacts | undefined, added: number, param: string): Failure | undefined {
  if (!parent) return notFound('todo', param);
  if (parent.parentTodoId !== null) return invalid(param, twoLevels);
  if (parent.isArchived) return invalid(param, 'This todo is archived. Restore it first, or choose another.');
  if (parent.isSuggested) return invalid(param, 'This todo is a suggestion. Accept it first, or choose another.');
  if (parent.count + added <= maxSubTodos) return undefined;
  return invalid(param, `A todo has at most ${maxSubTodos} sub-todos, archived ones included.`);
}

/** Locks todos that get sub-todos, so that they stay without a parent until the commit, and reads them. */
async function lockParents(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, ParentFacts>> {
  await lockTodos(db, workspaceId, ids);
  const rows = await db.rows<ParentFacts>(facts, [workspaceId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A change that makes locked todos sub-todos of another. */
interface Move {
  /** The todos before the change. */
  todos: readonly { id: string; parentTodoId: string | null }[];
  parentId: string;
  param: string;
}

/**
 * Locks the todo whose sub-todos locked todos become, and checks that there stays one level.
 * @throws Failure 400, 404 with `param`.
 */
export async function requireParent(db: Db, workspaceId: string, { todos, parentId, param }: Move): Promise<void> {
  const moved = todos.filter(({ parentTodoId }) => parentTodoId !== parentId).map(({ id }) => id);
  if (moved.length === 0) return;
  if (moved.includes(parentId)) throw invalid(param, 'A todo cannot be a sub-todo of itself.');
  const parents = await lockParents(db, workspaceId, [parentId]);
  const fault = faultOf(parents.get(parentId), moved.length, param);
  if (fault) throw fault;
  if ((await db.rows(anyChild, [workspaceId, moved])).length === 0) return;
  throw invalid(param, 'A todo with sub-todos cannot be a sub-todo itself. Take its sub-todos out first.');
}

/** The todo of the request that is the parent of another of its todos. */
export function parentWithin(todos: readonly NewTodo[], { parentTodoId }: NewTodo): number {
  return parentTodoId === undefined ? -1 : todos.findIndex((each) => each.id === parentTodoId);
}

/**
 * Locks the todos whose sub-todos new ones are, and returns for each new one the list of its parent: null when it has
 * no parent before the request, or one in an archived list. At fault: 404 unknown, 400 one that gets no more sub-todos.
 * Call it in a transaction.
 */
export async function parentLists(
  { db, principal }: Context,
  todos: readonly NewTodo[],
  pathOf: (index: number) => string,
  references: References,
): Promise<(string | null)[]> {
  const within = todos.map((todo) => parentWithin(todos, todo));
  const outside = todos.map(({ parentTodoId }, index) => (within[index] === -1 ? parentTodoId : undefined));
  const parents = await lockParents(
    db,
    principal.workspaceId,
    outside.flatMap((id) => id ?? []),
  );
  for (const [index, id] of outside.entries()) {
    const param = `${pathOf(index)}parentTodoId`;
    const isSecond = todos[within[index] ?? -1]?.parentTodoId !== undefined;
    const added = outside.filter((each) => each === id).length;
    const fault = id === undefined ? isSecond && invalid(param, twoLevels) : faultOf(parents.get(id), added, param);
    if (fault) references.fault(fault);
  }
  return outside.map((id) => (id === undefined ? null : (parents.get(id)?.listId ?? null)));
}
