import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { Failure, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { changedFieldsOf, recordErasure } from '../events/changes.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import { notifyMentioned } from '../notifications/mentions.ts';
import { findTodo } from '../todos/rows.ts';
import { requireMember } from '../workspaces/membership.ts';
import { findComment, lockComment } from './rows.ts';
import { Comment, type CommentAnswer, type CommentCreate, type CommentRef, type CommentUpdate } from './shapes.ts';

const members = `select user_id as id from members
  where workspace_id = $1 and user_id = any($2::uuid[]) and removed_at is null`;
const insert = `insert into todo_comments (workspace_id, id, todo_id, user_id, agent_id, text, mentions)
  values ($1, $2, $3, $4, $5, $6, $7::uuid[])`;
const update = `update todo_comments set text = $3, mentions = $4::uuid[], edited_at = greatest(now(), created_at)
  where workspace_id = $1 and id = $2`;
const erase = 'delete from todo_comments where workspace_id = $1 and id = $2';

function eventOf({ id, todoId }: CommentAnswer, change: Pick<NewEvent, 'type' | 'changedFields'>): NewEvent {
  return { ...change, objectId: id, parents: { todoId } };
}

/**
 * The members of these ids, each once, in the order given. @throws Failure 404 with the `param` of one that is none.
 */
async function mentionedOf(db: Db, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const known = new Set((await db.rows<{ id: string }>(members, [workspaceId, ids])).map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw notFound('member', `mentions[${unknown}]`);
  return [...new Set(ids)];
}

/** Whether the caller wrote the comment: an agent its own, a person, with whatever credential, theirs. */
function isAuthor({ principal }: Context, { author }: CommentAnswer): boolean {
  const id = principal.agent?.agentId ?? principal.userId;
  return author.type === (principal.agent ? 'agent' : 'user') && author.id === id;
}

/** @throws Failure 403. */
function requireAuthor(ctx: Context, comment: CommentAnswer): void {
  if (isAuthor(ctx, comment)) return;
  const message = 'Only its author may change a comment. Write one of your own instead.';
  throw new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'author_required' });
}

interface Mentioning {
  comment: CommentAnswer;
  /** Whom it mentioned before. */
  known: readonly string[];
  todo: { title: string | null; content: string | null };
}

/** Notifies those whom a comment mentions and did not before, and never its author. */
function notifyOf(ctx: Context, { comment, known, todo }: Mentioning) {
  const { author, mentions } = comment;
  return notifyMentioned(ctx, {
    workspaceId: ctx.principal.workspaceId,
    userIds: mentions.filter((id) => id !== author.id && !known.includes(id)),
    authorName: author.name,
    todo: { ...todo, id: comment.todoId },
    commentId: comment.id,
  });
}

/** Writes a comment on a todo, and notifies the members whom it mentions. @throws Failure 404. */
export function createTodoComment(ctx: Context, input: z.infer<typeof CommentCreate>): Promise<CommentAnswer> {
  const { workspaceId, userId, agent } = ctx.principal;
  const { todoId } = input;
  return ctx.db.transaction(async (db) => {
    const todo = await findTodo(db, workspaceId, todoId);
    const mentions = await mentionedOf(db, workspaceId, input.mentions);
    const commentId = newId();
    const author = agent ? [null, agent.agentId] : [userId, null];
    await db.rows(insert, [workspaceId, commentId, todoId, ...author, input.text, mentions]);
    const comment = await findComment(db, workspaceId, { todoId, commentId });
    await notifyOf({ ...ctx, db }, { comment, known: [], todo });
    await recordEvent(db, workspaceId, eventOf(comment, { type: 'comment.created' }));
    return comment;
  });
}

/** Changes a comment of the caller; equal values are no change. @throws Failure 403, 404, 412. */
export function updateTodoComment(ctx: Context, input: z.infer<typeof CommentUpdate>): Promise<CommentAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const before = await lockComment(db, workspaceId, input);
    requireAuthor(ctx, before);
    requireMatch(ctx.ifMatch, Comment, before);
    const mentions = input.mentions ? await mentionedOf(db, workspaceId, input.mentions) : before.mentions;
    const wanted = { ...before, text: input.text ?? before.text, mentions };
    const changedFields = changedFieldsOf(before, wanted);
    if (changedFields.length === 0) return before;
    await db.rows(update, [workspaceId, before.id, wanted.text, mentions]);
    const after = await findComment(db, workspaceId, input);
    const todo = await findTodo(db, workspaceId, after.todoId);
    await notifyOf({ ...ctx, db }, { comment: after, known: before.mentions, todo });
    const change = { type: 'comment.updated' as const, changedFields: [...changedFields, 'editedAt'] };
    await recordEvent(db, workspaceId, eventOf(after, change));
    return after;
  });
}

/** Erases a comment: of the caller, or of anybody when the caller is an owner. @throws Failure 403, 404, 412. */
export function deleteTodoComment(ctx: Context, ref: CommentRef) {
  const { workspaceId, agent } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const comment = await lockComment(db, workspaceId, ref);
    if (agent) requireAuthor(ctx, comment);
    else if (!isAuthor(ctx, comment)) await requireMember(db, ctx.principal, workspaceId, true);
    requireMatch(ctx.ifMatch, Comment, comment);
    await db.rows(erase, [workspaceId, comment.id]);
    await recordErasure(db, workspaceId, [eventOf(comment, { type: 'comment.deleted' })]);
    return { object: 'deleted' as const, id: comment.id, deleted: true as const, recoverable: false };
  });
}
