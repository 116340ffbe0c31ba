import { z } from 'zod';
import { latestComments } from '../../domain/comments/rows.ts';
import type { Context } from '../../domain/context.ts';
import { listNames } from '../../domain/todo-lists/rows.ts';
import { Todo, type TodoAnswer } from '../../domain/todos/shapes.ts';

/** The name of the list that a todo is in. */
export const ListNamed = z.object({ todoListName: z.string().nullable() });

/** A todo as tools show it: with the name of its list. */
export const ShownTodo = Todo.omit({ version: true }).extend(ListNamed.shape);

/** A comment on a todo. */
export const ShownComment = z.object({ author: z.string(), text: z.string(), createdAt: z.string() });

/** Comments in one answer. */
const maxComments = 5;

/** The latest comments on a todo, where there are any. */
export async function shownComments({ db, principal }: Context, todoId: string) {
  const found = await latestComments(db, principal.workspaceId, todoId, maxComments);
  const comments = found.map(({ author, text, createdAt }) => ({ author: author.name, text, createdAt }));
  return comments.length === 0 ? {} : { comments };
}

type Filed = Pick<TodoAnswer, 'todoListId'>;

/** The todos with the names of their lists: one statement for all of them. */
export async function withListNames<T extends Filed>({ db, principal }: Context, todos: readonly T[]) {
  if (todos.length === 0) return [];
  const ids = todos.map(({ todoListId }) => todoListId);
  const names = await listNames(db, principal.workspaceId, ids);
  return todos.map((todo) => ({ ...todo, todoListName: names.get(todo.todoListId) ?? null }));
}

/** The answer of a tool about one todo. */
export async function shownTodo(ctx: Context, todo: TodoAnswer): Promise<z.infer<typeof ShownTodo>> {
  const [shown] = await withListNames(ctx, [todo]);
  if (!shown) throw new Error('withListNames lost a todo');
  return shown;
}
