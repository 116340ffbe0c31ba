import type { Context, Principal, ServiceContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { findChat, type HeldChat, holdChat } from './rows.ts';
import type { ChatAnswer } from './shapes.ts';
import { endTurn } from './turns.ts';

/**
 * Checks that a person can still answer what the agent of the chat asks: no other agent may answer.
 * @throws Failure 409.
 */
export function requireNoQuestion({ agent }: Principal, { status }: HeldChat, named = 'This chat'): void {
  if (!agent || status !== 'awaiting_input') return;
  const message = `${named} waits for a person to decide something. Only a person can answer or stop it.`;
  throw conflict(message, { reason: 'awaiting_person' });
}

/**
 * Stops the agent of a chat, at work or waiting for a person; its work so far stays. A chat whose turn has ended is
 * unchanged. @throws Failure 404, 409 to the agent at work in this chat, and to any agent while it waits for a person.
 */
export function cancelChat(ctx: Context, { chatId }: { chatId: string }): Promise<ChatAnswer> {
  const { workspaceId, agent } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const chat = await holdChat(db, workspaceId, chatId);
    if (agent?.chatId === chat.chatId)
      throw conflict('You are working in this chat. To stop, end your turn with an answer.');
    requireNoQuestion(ctx.principal, chat);
    if (chat.turn) await endTurn({ ...ctx, db }, chat, { outcome: 'cancelled' });
    return findChat(db, workspaceId, chatId);
  });
}

const working = `select c.id from chats c where c.workspace_id = $1 and c.todo_id = any($2::uuid[])
    and exists (select 1 from chat_turns t where t.workspace_id = $1 and t.chat_id = c.id and t.ended_at is null)
  order by c.id`;

interface Closing {
  workspaceId: string;
  todoIds: readonly string[];
  /** The chat of the calling agent, which continues. */
  exceptChatId?: string | undefined;
}

/**
 * Cancels the open turns in the chats of todos, whether the agent works, is queued or waits for a person. Call it in a
 * transaction with the todos locked, so that no turn starts meanwhile. The caller records how the todos change.
 * @throws Failure 409 to an agent when another one waits for a person.
 */
export async function closeChats(ctx: Context, { workspaceId, todoIds, exceptChatId }: Closing): Promise<void> {
  const chats = await ctx.db.rows<{ id: string }>(working, [workspaceId, todoIds]);
  for (const { id } of chats.filter((each) => each.id !== exceptChatId)) {
    const chat = await holdChat(ctx.db, workspaceId, id);
    requireNoQuestion(ctx.principal, chat, 'A chat of this todo');
    await close(ctx, chat);
  }
}

async function close(ctx: ServiceContext, chat: HeldChat): Promise<void> {
  if (chat.turn) await endTurn(ctx, chat, { outcome: 'cancelled', todoIsRecorded: true });
}

/** As `closeChats`, for one chat of a locked todo, which does not wait for a person. */
export async function closeChat(ctx: ServiceContext, workspaceId: string, chatId: string): Promise<void> {
  await close(ctx, await holdChat(ctx.db, workspaceId, chatId));
}
