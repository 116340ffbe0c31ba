import { type HeldChat, holdChat } from '../chats/rows.ts';
import { resumeTurn, type World } from '../chats/turns.ts';
import { Failure } from '../errors.ts';
import type { AgentAnswer } from './shapes.ts';
import { nextOpening } from './working-hours.ts';

// Todos in the order of their ids, as whoever locks several of them does; see `holdChat`.
const waiting = `select t.chat_id as "chatId" from chat_turns t
    join chats c on c.workspace_id = t.workspace_id and c.id = t.chat_id
  where t.workspace_id = $1 and t.agent_id = $2 and t.ended_at is null and t.not_before > $3::timestamptz
  order by c.todo_id nulls first, t.chat_id`;
const move = `update chat_turns
    set not_before = $3::timestamptz, lease_until = greatest(now(), $3::timestamptz) + interval '20 seconds'
  where workspace_id = $1 and id = $2 and not_before > $4::timestamptz returning id`;

/** The chat, locked; null when it was erased in the meantime. */
async function held(world: World, workspaceId: string, chatId: string): Promise<HeldChat | null> {
  try {
    return await holdChat(world.db, workspaceId, chatId);
  } catch (error) {
    if (error instanceof Failure && error.problem.status === 404) return null;
    throw error;
  }
}

/**
 * Plans the turns that wait for the working hours of an agent anew, in the transaction that changed them: those of an
 * agent that now works start at once, the others at its next opening. A job of the old plan may still come: it finds a
 * turn whose time has not come, or that is at work.
 */
export async function replan(world: World, workspaceId: string, agent: AgentAnswer): Promise<void> {
  const { db, jobs, clock } = world;
  const at = clock();
  const now = at.toISOString();
  const { workingHoursEnabled, workingHours } = agent;
  const opening = workingHoursEnabled && workingHours ? nextOpening(workingHours, at) : null;
  const chats = await db.rows<{ chatId: string }>(waiting, [workspaceId, agent.id, now]);
  for (const { chatId } of chats) {
    const chat = await held(world, workspaceId, chatId);
    if (!chat?.turn) continue;
    const { turnId } = chat.turn;
    const moved = await db.rows(move, [workspaceId, turnId, opening ?? now, now]);
    if (moved.length === 0) continue;
    if (opening === null) await resumeTurn(world, chat);
    else await jobs.turn(db, { workspaceId, chatId, turnId }, opening);
  }
}
