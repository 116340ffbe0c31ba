import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { chats } from '../../db/schema/chats.ts';
import { changedNow } from '../../db/schema/columns.ts';
import type { Context } from '../context.ts';
import { requireMatch } from '../etag.ts';
import { recordErasure } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { chatEvent } from './events.ts';
import { findChat, holdChat, isChat } from './rows.ts';
import { Chat, type ChatAnswer } from './shapes.ts';
import { endTurn } from './turns.ts';

const idsWithin = `select id from messages where workspace_id = $1 and chat_id = $2
  union all select id from approvals where workspace_id = $1 and chat_id = $2`;

/**
 * Archives a chat, whose agent continues, or erases it with all messages when `permanent`: its agent is stopped first,
 * and its run stays on record, cancelled. @throws Failure 404, 412.
 */
export function deleteChat(ctx: Context, { chatId, permanent }: { chatId: string; permanent: boolean }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const chat = await holdChat(db, workspaceId, chatId.toLowerCase());
    requireMatch(ctx.ifMatch, Chat, await findChat(db, workspaceId, chatId));
    const deleted = { object: 'deleted' as const, id: chat.chatId, deleted: true as const };
    const isThis = isChat(workspaceId, chatId);
    if (!permanent) {
      const archived = { archivedAt: sql`now()`, updatedAt: changedNow };
      await db.orm
        .update(chats)
        .set(archived)
        .where(and(isThis, isNull(chats.archivedAt)));
      const change = { type: 'chat.archived' as const, changedFields: ['isArchived'] };
      if (!chat.isArchived) await recordEvent(db, workspaceId, chatEvent(chat, change));
      return { ...deleted, recoverable: true };
    }
    if (chat.turn) await endTurn({ ...ctx, db }, chat, { outcome: 'cancelled', beside: 'erasure' });
    const within = await db.rows<{ id: string }>(idsWithin, [workspaceId, chat.chatId]);
    await db.orm.delete(chats).where(isThis);
    const erased = chatEvent(chat, { type: 'chat.deleted' });
    await recordErasure(
      db,
      workspaceId,
      [erased],
      within.map(({ id }) => id),
    );
    return { ...deleted, recoverable: false };
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
