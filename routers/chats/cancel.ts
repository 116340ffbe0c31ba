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

const working = `select c.id from chats c where c.workspace_id = $1 and c.todo_id = any($2::uuid[])
    and c.status in ('queued', 'running', 'awaiting_input') and c.id is distinct from $3
  order by c.id for update`;

/**
 * Cancels the turns of the chats of todos that became done. Call it in the transaction that changes the todos, after
 * they are locked; the chats are locked in the order of their ids. `except`: the chat whose agent completes its todo.
 */
export async function closeChats(
  world: World,
  workspaceId: string,
  todoIds: readonly string[],
  except: string | null = null,
): Promise<void> {
  const open = await world.db.rows<{ id: string }>(working, [workspaceId, todoIds, except]);
  for (const { id } of open) {
    const chat = await holdChat(world.db, workspaceId, id);
    if (chat.turn) await endTurn(world, chat, { outcome: 'cancelled' });
  }
}
