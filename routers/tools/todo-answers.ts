import { z } from 'zod';
import { findCommentedTodo } from '../../domain/comments/rows.ts';
import type { Context } from '../../domain/context.ts';
import { Id } from '../../domain/fields.ts';
import { listNames } from '../../domain/todo-lists/rows.ts';
import { listTodos } from '../../domain/todos/list.ts';
import { Todo, type TodoAnswer, TodoStatus } from '../../domain/todos/shapes.ts';

const count = z.int().nullable();

/** What tools show of a todo in their own way: the name of its list, and its sub-todos only where it has some. */
export const ToolFields = z.object({
  todoListName: z.string().nullable(),
  subTodoCount: count,
  doneSubTodoCount: count,
});

/** A todo as tools show it: with the name of its list. */
export const ShownTodo = Todo.omit({ version: true, position: true }).extend(ToolFields.shape);

/** A comment on a todo. */
export const ShownComment = z.object({ author: z.string(), text: z.string(), createdAt: z.string() });

/** Comments in one answer. */
const maxComments = 5;

/** A todo with the name of its list and its latest comments, where there are any. @throws Failure 404. */
export async function commentedTodo(ctx: Context, todoId: string) {
  const { todo, todoListName, comments } = await findCommentedTodo(ctx, todoId, maxComments);
  return { todo: withToolFields(todo, todoListName), ...(comments.length > 0 && { comments }) };
}

/** A sub-todo in the answer about its parent. */
export const ShownSubTodo = z.object({ id: Id, title: z.string().nullable(), status: TodoStatus });

/** Sub-todos in one answer. */
const maxShown = 50;

/** The first sub-todos of a todo, in their order, where there are any; the others are in list_todos. */
export async function shownSubTodos(
  ctx: Context,
  { id, subTodoCount }: Pick<z.infer<typeof ShownTodo>, 'id' | 'subTodoCount'>,
) {
  if (subTodoCount === null) return {};
  const found = await listTodos(ctx, { parentTodoId: id, sort: 'position', order: 'asc', limit: maxShown });
  return { subTodos: found.data.map(({ id: subTodoId, title, status }) => ({ id: subTodoId, title, status })) };
}

type Filed = Pick<TodoAnswer, 'todoListId' | 'subTodoCount' | 'doneSubTodoCount'>;

function withToolFields<T extends Filed>(todo: T, todoListName: string | null) {
  const { subTodoCount, doneSubTodoCount } = todo;
  return {
    ...todo,
    todoListName,
    subTodoCount: subTodoCount || null,
    doneSubTodoCount: subTodoCount === 0 ? null : doneSubTodoCount,
  };
}

/** The todos with the fields of tools: one statement for all of them. */
export async function withListNames<T extends Filed>({ db, principal }: Context, todos: readonly T[]) {
  if (todos.length === 0) return [];
  const ids = todos.map(({ todoListId }) => todoListId);
  const names = await listNames(db, principal.workspaceId, ids);
  return todos.map((todo) => withToolFields(todo, names.get(todo.todoListId) ?? null));
}

/** The answer of a tool about one todo. */
export async function shownTodo(ctx: Context, todo: TodoAnswer): Promise<z.infer<typeof ShownTodo>> {
  const [shown] = await withListNames(ctx, [todo]);
  if (!shown) throw new Error('withListNames lost a todo');
  return shown;
}
