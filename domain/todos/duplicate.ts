import type { Context } from '../context.ts';
import { createTodo } from './create.ts';
import { getTodo } from './rows.ts';
import type { NewTodo, TodoAnswer } from './shapes.ts';

const openList = 'select id from todo_lists where workspace_id = $1 and id = $2 and archived_at is null';
const openParent = 'select id from todos where workspace_id = $1 and id = $2 and archived_at is null';

/**
 * Creates a copy of a todo that nobody has worked on yet: ready, with the text, priority, type, list, due date, labels
 * and assignees, without its schedule, reminders, sub-todos, comments and runs. What is archived is left out:
 * assignees, the parent, also that of an archived todo, and the list, which is the default list then.
 * @throws Failure 404; 400 when its parent has no room for one more.
 */
export function duplicateTodo(ctx: Context, { todoId }: { todoId: string }): Promise<TodoAnswer> {
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const todo = await getTodo(tx, { todoId });
    const { workspaceId } = ctx.principal;
    const [list] = await db.rows<{ id: string }>(openList, [workspaceId, todo.todoListId]);
    const parent = todo.isArchived || todo.parentTodoId === null ? [] : [todo.parentTodoId];
    const [open] = parent.length === 0 ? [] : await db.rows<{ id: string }>(openParent, [workspaceId, ...parent]);
    return createTodo(tx, copyOf(todo, { todoListId: list?.id, parentTodoId: open?.id }));
  });
}

/** The fields of the copy, in this list, undefined for the default list, and below this parent. */
function copyOf(todo: TodoAnswer, place: Pick<NewTodo, 'todoListId' | 'parentTodoId'>): NewTodo {
  const { title, content, priority, type, dueDate } = todo;
  return {
    title: title ?? undefined,
    content: content ?? undefined,
    priority: priority ?? undefined,
    type,
    ...place,
    dueDate: dueDate ?? undefined,
    assignees: todo.assignees.filter(({ isArchived }) => !isArchived).map(({ id }) => ({ id })),
    labelIds: todo.labels.map(({ id }) => id),
    run: false,
  };
}
