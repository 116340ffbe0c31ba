import { holdChat } from './rows.ts';
import { endTurn, type World } from './turns.ts';

const working = `select c.id from chats c where c.workspace_id = $1 and c.todo_id = any($2::uuid[])
    and exists (select 1 from chat_turns t where t.workspace_id = c.workspace_id and t.chat_id = c.id and t.ended_at is null)
  order by c.id`;

/**
 * Cancels the chats of todos in which an agent is at work, waits, or waits for a person; `except` goes on, the chat of
 * the agent that asks for it. Call it in a transaction with the todos locked, so that no turn starts meanwhile.
 */
export async function closeChats(
  world: World,
  workspaceId: string,
  todoIds: readonly string[],
  except?: string,
): Promise<void> {
  const chats = await world.db.rows<{ id: string }>(working, [workspaceId, todoIds]);
  for (const { id } of chats.filter((each) => each.id !== except)) {
    const chat = await holdChat(world.db, workspaceId, id);
    if (chat.turn) await endTurn(world, chat, { outcome: 'cancelled' });
  }
}
