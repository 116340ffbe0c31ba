import type { z } from 'zod';
import { Bindings } from '../../db/bindings.ts';
import { type Db, instantFromPostgres } from '../../db/client.ts';
import type { todoComments } from '../../db/schema/comments.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { requireTodo, type TodoRow, todoColumns, todoOf } from '../todos/rows.ts';
import type { TodoAnswer } from '../todos/shapes.ts';
import type { CommentAnswer, CommentListing, CommentRef } from './shapes.ts';

/** The columns of a comment with its author, from a relation `c` shaped like `todo_comments`. */
const columns = `c.id, c.todo_id as "todoId", c.user_id as "userId", c.agent_id as "agentId", c.text, c.mentions,
  c.created_at as "createdAt", c.edited_at as "editedAt", coalesce(u.name, g.name) as "authorName",
  case when c.user_id is null then g.archived_at else m.removed_at end is not null as "authorIsArchived"`;
const authors = `left join users u on u.id = c.user_id
  left join members m on m.workspace_id = c.workspace_id and m.user_id = c.user_id
  left join agents g on g.workspace_id = c.workspace_id and g.id = c.agent_id`;

interface CommentRow extends Omit<typeof todoComments.$inferSelect, 'workspaceId'> {
  authorName: string;
  authorIsArchived: boolean;
}

function commentOf({ userId, agentId, authorName, authorIsArchived, ...row }: CommentRow): CommentAnswer {
  const { id, todoId, text, mentions, createdAt, editedAt } = row;
  return {
    object: 'comment',
    id,
    todoId,
    author: {
      object: 'comment_author',
      type: userId === null ? 'agent' : 'user',
      id: userId ?? agentId ?? '',
      name: authorName,
      isArchived: authorIsArchived,
    },
    text,
    mentions,
    createdAt,
    editedAt,
  };
}

const find = `select ${columns} from todo_comments c ${authors}
  where c.workspace_id = $1 and c.todo_id = $2 and c.id = $3`;
const lock = 'select 1 from todo_comments where workspace_id = $1 and id = $2 for update';

/** The comment of a todo. @throws Failure 404, which names the todo where that does not exist either. */
export async function findComment(db: Db, workspaceId: string, { todoId, commentId }: CommentRef) {
  const [row] = await db.rows<CommentRow>(find, [workspaceId, todoId, commentId]);
  if (row) return commentOf(row);
  await requireTodo(db, workspaceId, todoId);
  throw notFound('comment', 'commentId');
}

/** The comment with its row locked until the end of the transaction. @throws Failure 404. */
export async function lockComment(db: Db, workspaceId: string, ref: CommentRef): Promise<CommentAnswer> {
  await db.rows(lock, [workspaceId, ref.commentId]);
  return findComment(db, workspaceId, ref);
}

const commented = `select ${todoColumns()},
    (select l.name from todo_lists l where l.workspace_id = $1 and l.id = t.todo_list_id) as "todoListName",
    (select json_agg(json_build_array(c."authorName", c.text, c."createdAt") order by c."createdAt", c.id) from (
      select ${columns} from todo_comments c ${authors}
      where c.workspace_id = $1 and c.todo_id = $2 order by c.created_at desc, c.id desc limit $3) c) as comments
  from todos t where t.workspace_id = $1 and t.id = $2`;

interface CommentedTodoRow extends TodoRow {
  todoListName: string;
  comments: [author: string, text: string, createdAt: string][] | null;
}

/** A todo with what tools show beside it. */
export interface CommentedTodo {
  todo: TodoAnswer;
  todoListName: string;
  /** The latest, the oldest of them first, by the names of their authors. */
  comments: { author: string; text: string; createdAt: string }[];
}

/** The todo of this id with its `count` latest comments, in one statement. @throws Failure 404. */
export async function findCommentedTodo(
  { db, principal }: Context,
  todoId: string,
  count: number,
): Promise<CommentedTodo> {
  const [row] = await db.lookUp<CommentedTodoRow>(commented, [principal.workspaceId, todoId, count]);
  if (!row) throw notFound('todo', 'todoId');
  return {
    todo: todoOf(row),
    todoListName: row.todoListName,
    comments: (row.comments ?? []).map(([author, text, createdAt]) => ({
      author,
      text,
      createdAt: instantFromPostgres(createdAt),
    })),
  };
}

/** Get one comment. @throws Failure 404. */
export function getTodoComment({ db, principal }: Context, ref: CommentRef): Promise<CommentAnswer> {
  return findComment(db, principal.workspaceId, ref);
}

/** One page of the comments on a todo, the oldest first. @throws Failure 400 `invalid_cursor`, 404. */
export async function listTodoComments(ctx: Context, input: z.infer<typeof CommentListing>) {
  const { db, principal } = ctx;
  const { workspaceId } = principal;
  const { todoId, limit, cursor } = input;
  const scope = cursorScope(ctx, { sort: 'createdAt', order: 'asc', filters: { todoId } });
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const bindings = new Bindings();
  const where = [`c.workspace_id = ${bindings.bind(workspaceId)}`, `c.todo_id = ${bindings.bind(todoId)}`];
  if (after) where.push(`(c.created_at, c.id) > (${bindings.bind(after[0])}::timestamptz, ${bindings.bind(after[1])})`);
  const text = `select ${columns} from todo_comments c ${authors} where ${where.join(' and ')}
    order by c.created_at, c.id limit ${bindings.bind(limit + 1)}`;
  const rows = await db.rows<CommentRow>(text, bindings.values);
  if (rows.length === 0) await requireTodo(db, workspaceId, todoId);
  return { object: 'list' as const, ...pageOf(rows.map(commentOf), limit, scope, (each) => [each.createdAt, each.id]) };
}
