import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import { invalid, notFound } from '../errors.ts';
import { folded } from '../folding.ts';
import { type Assigned, References } from './references.ts';
import { priorityRank, type TodoRow, todoColumns, todoOf } from './rows.ts';
import type { NewTodo, TodoAnswer } from './shapes.ts';

/*
 * Makes a batch of todos in one statement: rows, assignees and search text, read back as they are now. The batch is one
 * JSON parameter, so that the text is the same for one todo and for fifty.
 */
const insert = `with input as materialized (
    select * from jsonb_to_recordset($2::jsonb) as r(place int, id uuid, title text, content text, priority smallint, type text,
      list uuid, due date, source text, assignees jsonb, folded_title text, folded_content text)
  ), made as (
    insert into todos (workspace_id, id, title, content, priority, type, todo_list_id, due_date, source)
    select $1, id, title, content, priority, type,
      coalesce(list, (select l.id from todo_lists l where l.workspace_id = $1 and l.is_default)), due, source
    from input order by place returning *
  ), indexed as (
    insert into todo_search (workspace_id, todo_id, title, content) select $1, id, folded_title, folded_content from input
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
    select $1, i.id, a.position, (a.assignee->>'user')::uuid, (a.assignee->>'agent')::uuid, m.created_at
    from input i join made m on m.id = i.id cross join lateral jsonb_array_elements(i.assignees) with ordinality a(assignee, position)
    returning *
  )
  select ${todoColumns('assigned')} from made t join input i on i.id = t.id order by i.place`;

/** Reports what a schema cannot: text that says nothing, two lists, a run that cannot start. `at` is a path prefix. */
function requireSense(todo: NewTodo, at: string): void {
  if (todo.title === undefined && (todo.content ?? '').trim() === '') {
    throw invalid(`${at}title`, 'Give a title or a content, or both.');
  }
  if (todo.todoListId !== undefined && todo.todoListName !== undefined) {
    throw invalid(`${at}todoListName`, 'Pass todoListId or todoListName, not both.');
  }
  if (!todo.run) return;
  const agents = 'This version of the service does not run agents yet. Create the todo without run.';
  throw invalid(`${at}run`, todo.assignees?.length ? agents : `A run needs an agent among the assignees. ${agents}`);
}

function listOf(references: References, todo: NewTodo, at: string): Promise<string | null> | null {
  if (todo.todoListId !== undefined) return references.listById(todo.todoListId, `${at}todoListId`);
  if (todo.todoListName !== undefined) return references.listByName(todo.todoListName, `${at}todoListName`);
  return null;
}

/**
 * Makes todos, all or none, and returns them in order. `pathOf` gives the path prefix of the i-th in the request.
 * @throws Failure 400, 404 with the `param` at fault.
 */
export async function createTodos(
  db: Db,
  { workspaceId, userId }: Pick<Principal, 'workspaceId' | 'userId'>,
  todos: readonly NewTodo[],
  pathOf: (index: number) => string = () => '',
): Promise<TodoAnswer[]> {
  for (const [index, todo] of todos.entries()) requireSense(todo, pathOf(index));
  const references = new References(db, workspaceId);
  const lists: (string | null)[] = [];
  for (const [index, todo] of todos.entries()) lists.push(await listOf(references, todo, pathOf(index)));
  const named = todos.map((todo) => todo.assignees ?? []);
  const assignees = await references.assignees(
    named,
    todos.map((_, index) => `${pathOf(index)}assignees`),
  );
  references.requireSound();
  const captureAt = todos.findIndex((todo) => todo.captureId !== undefined);
  if (captureAt >= 0) throw notFound('capture', `${pathOf(captureAt)}captureId`);

  const me: Assigned[] = [{ user: userId, agent: null }];
  const rows = todos.map((todo, place) => ({
    place,
    id: newId(),
    title: todo.title ?? null,
    content: todo.content ?? null,
    priority: todo.priority ? priorityRank(todo.priority) : null,
    type: todo.type,
    list: lists[place],
    due: todo.dueDate ?? null,
    source: 'user_created',
    assignees: todo.assignees ? assignees[place] : me,
    folded_title: folded(todo.title ?? ''),
    folded_content: folded(todo.content ?? ''),
  }));
  return (await db.rows<TodoRow>(insert, [workspaceId, JSON.stringify(rows)])).map(todoOf);
}
