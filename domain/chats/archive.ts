import { and, isNotNull, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { chats } from '../../db/schema/chats.ts';
import { changedNow } from '../../db/schema/columns.ts';
import type { Context } from '../context.ts';
import { requireMatch } from '../etag.ts';
import { recordErasure, recordTodoUpdate } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { eraseNotifications } from '../notifications/changes.ts';
import { chatEvent } from './events.ts';
import { findChat, type HeldChat, holdChat, isChat } from './rows.ts';
import { Chat, type ChatAnswer } from './shapes.ts';
import { endTurn } from './turns.ts';

const idsWithin = `select id from messages where workspace_id = $1 and chat_id = $2
  union all select id from approvals where workspace_id = $1 and chat_id = $2`;

/** Archives a locked chat, whose agent continues; one that is archived stays as it is. */
export async function archiveHeld(db: Db, chat: HeldChat): Promise<void> {
  if (chat.isArchived) return;
  const archived = { archivedAt: sql`now()`, updatedAt: changedNow };
  await db.orm.update(chats).set(archived).where(isChat(chat.workspaceId, chat.chatId));
  const change = { type: 'chat.archived' as const, changedFields: ['isArchived'] };
  await recordEvent(db, chat.workspaceId, chatEvent(chat, change));
}

// A run keeps what its agent said last: that goes with the messages.
const forgetSummaries = `update todo_runs r set summary = null from todos t
  where r.workspace_id = $1 and r.chat_id = $2 and r.summary is not null and t.workspace_id = $1 and t.id = r.todo_id
  returning t.id, t.latest_run_id = r.id as "isLatest"`;

/**
 * Removes the summaries of the runs of a locked chat, and records that as a change of their todo, which is locked too.
 */
async function eraseSummaries(db: Db, { workspaceId, chatId }: HeldChat): Promise<void> {
  const todos = await db.rows<{ id: string; isLatest: boolean }>(forgetSummaries, [workspaceId, chatId]);
  for (const { id } of todos.filter(({ isLatest }) => isLatest))
    await recordTodoUpdate(db, workspaceId, id, ['latestRun']);
}

/**
 * Erases a locked chat that has no open turn, with all messages and the notifications about it. Its run stays on
 * record, without a summary.
 */
export async function eraseHeld(db: Db, chat: HeldChat): Promise<void> {
  const { workspaceId, chatId } = chat;
  await eraseSummaries(db, chat);
  const within = await db.rows<{ id: string }>(idsWithin, [workspaceId, chatId]);
  await db.orm.delete(chats).where(isChat(workspaceId, chatId));
  const notices = await eraseNotifications(db, workspaceId, 'chats', [chatId]);
  const ids = within.map(({ id }) => id);
  await recordErasure(db, workspaceId, [chatEvent(chat, { type: 'chat.deleted' }), ...notices], ids);
}

/**
 * Archives a chat, whose agent continues, or erases it with all messages when `permanent`: its agent is stopped first,
 * and its run stays on record, cancelled. @throws Failure 404, 412.
 */
export function deleteChat(ctx: Context, { chatId, permanent }: { chatId: string; permanent: boolean }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const chat = await holdChat(db, workspaceId, chatId);
    requireMatch(ctx.ifMatch, Chat, await findChat(db, workspaceId, chatId));
    if (!permanent) await archiveHeld(db, chat);
    else {
      if (chat.turn) await endTurn({ ...ctx, db }, chat, { outcome: 'cancelled', beside: 'erasure' });
      await eraseHeld(db, chat);
    }
    return { object: 'deleted' as const, id: chat.chatId, deleted: true as const, recoverable: !permanent };
  });
}

/** Restores an archived chat; an active one is unchanged. @throws Failure 404. */
export function restoreChat(ctx: Context, { chatId }: { chatId: string }): Promise<ChatAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const isArchived = and(isChat(workspaceId, chatId), isNotNull(chats.archivedAt));
    const active = { archivedAt: null, updatedAt: changedNow };
    const restored = await db.orm.update(chats).set(active).where(isArchived).returning({ id: chats.id });
    const chat = await findChat(db, workspaceId, chatId);
    const change = { type: 'chat.restored' as const, changedFields: ['isArchived'] };
    if (restored.length > 0) await recordEvent(db, workspaceId, chatEvent({ ...chat, chatId: chat.id }, change));
    return chat;
  });
}
