import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { outOfMinutes } from '../usage/minutes.ts';
import { requireNoQuestion } from './cancel.ts';
import { answeringAgent, authorOf } from './create.ts';
import { fieldsOfMessages, statusChange } from './events.ts';
import { append, textBlocks } from './messages.ts';
import { type HeldChat, holdChat } from './rows.ts';
import { setRunReason } from './runs.ts';
import type { ChatRunAnswer } from './shapes.ts';
import { type Starter, starterOf, startTurn, supersedeTurn } from './turns.ts';
import { isWorking } from './wait.ts';

/** The agent that answers in the chat, and on whose behalf. @throws Failure 402, 409 when no turn can start. */
async function requireReady(
  { db, principal }: Context,
  chat: HeldChat,
): Promise<{ agentId: string; starter: Starter }> {
  if (isWorking(chat.status)) {
    const message = 'The agent is working. Wait until the status is no longer running or queued, or cancel the chat.';
    throw conflict(message, { reason: 'agent_mid_turn' });
  }
  requireNoQuestion(principal, chat);
  if (chat.isArchived) throw conflict('This chat is archived. Restore it before you write in it.');
  if (chat.todoDone) throw conflict('The todo of this chat is done. Reopen it before you write in the chat.');
  const { workspaceId } = chat;
  const { agent, funded } = await answeringAgent(db, workspaceId, chat.agentId);
  if (!agent || agent.isArchived) {
    throw conflict('The agent of this chat is archived. Restore it, or start a new chat with another agent.');
  }
  const starter = starterOf(principal);
  if (!funded) throw outOfMinutes();
  return { agentId: agent.id, starter };
}

/**
 * Appends a message and starts the next turn. In a chat that waits for a person, the text is the answer: the approvals
 * of calls that were not made are superseded, and its run continues; an agent cannot answer there. @throws Failure 402,
 * 404, 409.
 */
export function sendMessage(
  ctx: Context,
  { chatId, message: text }: { chatId: string; message: string },
): Promise<ChatRunAnswer> {
  const { live, principal } = ctx;
  const { workspaceId } = principal;
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const chat = await holdChat(db, workspaceId, chatId);
    const { agentId, starter } = await requireReady(tx, chat);
    const runId = await supersedeTurn(db, chat);
    const changed = chat.status === 'failed' ? ['errorMessage'] : [];
    const message = { turnId: null, role: 'user' as const, text, blocks: textBlocks(text), ...authorOf(principal) };
    // The event of the message shows its followers that the agent works again; nothing else waits for that status.
    const [{ sequence }] = await Promise.all([
      append(db, live, chat, message, statusChange(...changed, ...fieldsOfMessages), true),
      startTurn(tx, { ...chat, agentId, starter, trigger: 'chat', runId }),
      runId && setRunReason(db, workspaceId, runId, null),
    ]);
    const run = { object: 'chat_run' as const, chatId: chat.chatId, status: 'running' as const };
    return { ...run, messageSequence: sequence, replies: [], timedOut: false };
  });
}
