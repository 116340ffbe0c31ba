import type { AuthenticatedContext } from '../context.ts';
import { type HeldChat, holdChat } from './rows.ts';
import type { ChatAnswer } from './shapes.ts';
import { endTurn } from './turns.ts';

/**
 * The work for which a chat was started: its first turn, and the turns that continue it when a person writes instead of
 * deciding. Messages after its end do not change it.
 */
export interface FirstWork {
  turnId: string;
  /** Null while it goes on. */
  outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out' | null;
  /** The status of the chat, which is that of the work until it ends. */
  status: ChatAnswer['status'];
  startedAt: string;
  /** When the work ended, else when the chat changed last. */
  changedAt: string;
}

const first = `select t.id as "turnId", t.outcome, c.status, c.created_at as "startedAt",
    greatest(c.created_at, coalesce(t.ended_at, c.updated_at)) as "changedAt"
  from chats c cross join lateral (
    select x.id, x.outcome, x.ended_at from chat_turns x
    where x.workspace_id = $1 and x.chat_id = c.id and x.outcome is distinct from 'superseded'
    order by x.created_at, x.id limit 1
  ) t
  where c.workspace_id = $1 and c.id = $2`;

/** The first work of a chat; undefined when the workspace has no such chat. */
export async function firstWorkOf(
  { db, principal }: Pick<AuthenticatedContext, 'db' | 'principal'>,
  chatId: string,
): Promise<FirstWork | undefined> {
  const [work] = await db.rows<FirstWork>(first, [principal.workspaceId, chatId]);
  return work;
}

/**
 * Stops the first work of a chat. Work that has ended is unchanged, and so is what a later message started. @throws
 * Failure 404.
 */
export function cancelFirstWork(ctx: AuthenticatedContext, chatId: string): Promise<void> {
  return ctx.db.transaction(async (db) => {
    const chat: HeldChat = await holdChat(db, ctx.principal.workspaceId, chatId);
    const work = await firstWorkOf({ ...ctx, db }, chatId);
    if (chat.turn && chat.turn.turnId === work?.turnId) await endTurn({ ...ctx, db }, chat, { outcome: 'cancelled' });
  });
}
