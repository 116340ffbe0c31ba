import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { EngineName } from '../../db/engine/index.ts';
import { todoLists } from '../../db/schema/todos.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { countedTodos } from '../todos/counts.ts';
import { TodoList, type TodoListAnswer } from './shapes.ts';

type TodoListTable = typeof todoLists.$inferSelect;

interface TodoListRow
  extends Pick<TodoListTable, 'id' | 'name' | 'emoji' | 'color' | 'isDefault' | 'createdAt' | 'updatedAt'> {
  isArchived: boolean;
  todoCount: number;
  activeTodoCount: number;
}

/** Lists of a workspace with their counts. */
function select(where: string, engine: EngineName): string {
  return `select l.id, l.name, l.emoji, l.color, l.is_default as "isDefault", l.archived_at is not null as "isArchived",
      coalesce(c.todos, 0)::int as "todoCount", coalesce(c.active, 0)::int as "activeTodoCount",
      l.created_at as "createdAt", l.updated_at as "updatedAt"
    from todo_lists l left join (
      select c.todo_list_id, sum(c.todos) as todos, sum(c.todos) filter (where c.status <> 'done') as active
      from ${countedTodos(engine)} c group by c.todo_list_id
    ) c on c.todo_list_id = l.id
    where l.workspace_id = $1 and ${where}`;
}

const all = (engine: EngineName) =>
  `${select('($2 or l.archived_at is null)', engine)} order by l.is_default desc, l.created_at, l.id`;
const one = (engine: EngineName) => select('l.id = $2', engine);

function todoListOf(row: TodoListRow): TodoListAnswer {
  return { object: 'todo_list', ...row };
}

/** The condition of one list of a workspace. */
export function isTodoList(workspaceId: string, todoListId: string) {
  return and(eq(todoLists.workspaceId, workspaceId), eq(todoLists.id, todoListId));
}

/** The list of this id. @throws Failure 404 when the workspace has no such list. */
export async function findTodoList(db: Db, workspaceId: string, todoListId: string): Promise<TodoListAnswer> {
  const [row] = await db.rows<TodoListRow>(one(db.engine), [workspaceId, todoListId]);
  if (!row) throw notFound('todo list', 'todoListId');
  return todoListOf(row);
}

const named = 'select id, name from todo_lists where workspace_id = $1 and id = any($2::uuid[])';

/** The names of these lists, by id. */
export async function listNames(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.lookUp<Pick<TodoListTable, 'id' | 'name'>>(named, [workspaceId, [...new Set(ids)]]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The todo lists of a workspace, the default one first, then the oldest. */
export async function findTodoLists(db: Db, workspaceId: string, includeArchived: boolean): Promise<TodoListAnswer[]> {
  return (await db.rows<TodoListRow>(all(db.engine), [workspaceId, includeArchived])).map(todoListOf);
}

/** The list with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
export async function lockTodoList({ db, principal, ifMatch }: Context, todoListId: string): Promise<TodoListAnswer> {
  const { workspaceId } = principal;
  const isThis = isTodoList(workspaceId, todoListId);
  await db.orm.select({ id: todoLists.id }).from(todoLists).where(isThis).for('update');
  const list = await findTodoList(db, workspaceId, todoListId);
  requireMatch(ifMatch, TodoList, list);
  return list;
}

/** Get one todo list with its counts. @throws Failure 404. */
export function getTodoList({ db, principal }: Context, { todoListId }: { todoListId: string }) {
  return findTodoList(db, principal.workspaceId, todoListId);
}
