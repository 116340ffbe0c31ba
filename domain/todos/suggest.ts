import { newId } from '../../db/ids.ts';
import type { ServiceContext } from '../context.ts';
import type { CaptureRef } from '../jobs.ts';
import { folded } from '../text.ts';
import { type NewRow, writeTodos } from './insert.ts';
import type { TodoAnswer } from './shapes.ts';

/** A todo found in a capture; nobody has accepted it. */
export interface SuggestedTodo {
  /** Not blank, at most 500 characters. */
  title: string;
  content: string | null;
  /** `YYYY-MM-DD`. */
  dueDate: string | null;
  /** Its assignee; ignored when no member of the workspace has this id. */
  assigneeUserId: string | null;
}

const known = `select s.title from todos t join todo_search s on s.workspace_id = t.workspace_id and s.todo_id = t.id
  where t.workspace_id = $1 and t.capture_id = $2`;
const members = `select user_id as id from members
  where workspace_id = $1 and user_id = any($2::uuid[]) and removed_at is null`;

/** The first of each title that no todo of the capture has, whether that was accepted, dismissed or neither. */
function unknownOf(todos: readonly SuggestedTodo[], titles: Iterable<string>): SuggestedTodo[] {
  const seen = new Set(titles);
  return todos.filter(({ title }) => {
    const key = folded(title);
    return !seen.has(key) && seen.add(key);
  });
}

function rowOf(todo: SuggestedTodo, place: number, captureId: string, isMember: boolean): NewRow {
  const { title, content, dueDate, assigneeUserId } = todo;
  return {
    place,
    id: newId(),
    title,
    content,
    priority: null,
    type: 'task',
    list: null,
    due: dueDate,
    capture: captureId,
    parent: null,
    suggested: true,
    source: 'auto_suggested',
    created_from: null,
    assignees: isMember ? [{ user: assigneeUserId, agent: null }] : [],
    labels: [],
    plan: null,
    folded_title: folded(title),
    folded_content: folded(content ?? ''),
  };
}

/**
 * Suggests todos found in a capture, in the default list, and returns the new ones. Todos that the capture has already
 * are left out, so a repeated call adds nothing. Call it in a transaction with the row of the capture locked.
 */
export async function suggestTodos(
  { db }: Pick<ServiceContext, 'db'>,
  { workspaceId, captureId, todos }: CaptureRef & { todos: readonly SuggestedTodo[] },
): Promise<TodoAnswer[]> {
  if (todos.length === 0) return [];
  const wanted = todos.flatMap(({ assigneeUserId }) => assigneeUserId ?? []);
  const [titles, found] = await Promise.all([
    db.rows<{ title: string }>(known, [workspaceId, captureId]),
    db.rows<{ id: string }>(members, [workspaceId, wanted]),
  ]);
  const unknown = unknownOf(
    todos,
    titles.map(({ title }) => title),
  );
  if (unknown.length === 0) return [];
  const ids = new Set(found.map(({ id }) => id));
  const rows = unknown.map((todo, place) => rowOf(todo, place, captureId, ids.has(todo.assigneeUserId ?? '')));
  return writeTodos(db, workspaceId, rows);
}
