import type { Db } from '../../db/client.ts';
import { requireMatch } from '../etag.ts';
import { findChat, holdChat } from './rows.ts';
import { Chat, type ChatAnswer } from './shapes.ts';
import { endTurn, type World } from './turns.ts';

const archive = `update chats set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is null`;
const restore = `update chats set archived_at = null, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is not null`;
const erase = 'delete from chats where workspace_id = $1 and id = $2';

/**
 * Archives a chat, whose agent works on, or erases it with all messages when `permanent`: its agent is stopped first,
 * and the run that it worked for stays, cancelled. @throws Failure 404, 412.
 */
export function deleteChat(
  world: World,
  workspaceId: string,
  chatId: string,
  permanent: boolean,
  ifMatch?: readonly string[],
) {
  return world.db.transaction(async (db) => {
    const chat = await holdChat(db, workspaceId, chatId.toLowerCase());
    requireMatch(ifMatch, Chat, await findChat(db, workspaceId, chatId));
    const deleted = { object: 'deleted' as const, id: chat.chatId, deleted: true as const };
    if (!permanent) {
      await db.rows(archive, [workspaceId, chatId]);
      return { ...deleted, recoverable: true };
    }
    if (chat.turn) await endTurn({ ...world, db }, chat, { outcome: 'cancelled' });
    await db.rows(erase, [workspaceId, chatId]);
    return { ...deleted, recoverable: false };
  });
}

/** Brings an archived chat back; one that is active stays as it is. @throws Failure 404. */
export async function restoreChat(db: Db, workspaceId: string, chatId: string): Promise<ChatAnswer> {
  await db.rows(restore, [workspaceId, chatId]);
  return findChat(db, workspaceId, chatId);
}
