import type { Principal } from '../base.ts';
import { conflict } from '../errors.ts';
import { findChat, holdChat } from './rows.ts';
import type { ChatAnswer } from './shapes.ts';
import { endTurn, type World } from './turns.ts';

/**
 * Stops the agent, at work or waiting for a person; what it did stays. A chat that ended already stays as it is.
 * @throws Failure 404, 409 to the agent at work in this chat.
 */
export function cancelChat(world: World, { workspaceId, agent }: Principal, chatId: string): Promise<ChatAnswer> {
  return world.db.transaction(async (db) => {
    const chat = await holdChat(db, workspaceId, chatId.toLowerCase());
    if (agent?.chatId === chat.chatId) throw conflict('You are at work in this chat. To stop, answer and finish.');
    if (chat.turn) await endTurn({ ...world, db }, chat, { outcome: 'cancelled' });
    return findChat(db, workspaceId, chatId);
  });
}
