import type { OpenTurn } from '../chats/rows.ts';
import { resumeTurn, type World } from '../chats/turns.ts';
import type { AgentAnswer } from './shapes.ts';
import { nextOpening } from './working-hours.ts';

// Chats without their todos, which do not change: who holds a todo may wait for the agent (`openingOf`). In the order of
// their ids, as `closeChats` goes.
const hold = `select c.id from chats c where c.workspace_id = $1 and c.id in (
    select t.chat_id from chat_turns t
    where t.workspace_id = $1 and t.agent_id = $2 and t.ended_at is null and t.not_before > $3::timestamptz
  ) order by c.id for update`;
const move = `update chat_turns t set not_before = coalesce($5::timestamptz, now()),
    lease_until = greatest(now(), $5::timestamptz) + interval '20 seconds'
  where t.workspace_id = $1 and t.agent_id = $2 and t.chat_id = any($4::uuid[]) and t.ended_at is null
    and t.not_before > $3::timestamptz
  returning t.chat_id as "chatId", t.id as "turnId", t.run_id as "runId", t.agent_id as "agentId", t.attempt`;

/**
 * Plans the turns that wait for the working hours of a locked agent anew, in the transaction that changed them: those of
 * an agent that now works start at once, the others at its next opening. A job of the old plan may still come: it finds
 * a turn whose time has not come, or that is at work.
 */
export async function replan(world: World, workspaceId: string, agent: AgentAnswer): Promise<void> {
  const { db, jobs, clock } = world;
  const at = clock();
  const { id, workingHoursEnabled, workingHours } = agent;
  const opening = workingHoursEnabled && workingHours ? nextOpening(workingHours, at) : null;
  const key = [workspaceId, id, at.toISOString()];
  const chats = await db.rows<{ id: string }>(hold, key);
  if (chats.length === 0) return;
  const values = [...key, chats.map((chat) => chat.id), opening];
  for (const { chatId, ...turn } of await db.rows<OpenTurn & { chatId: string }>(move, values)) {
    if (opening === null) await resumeTurn(world, { workspaceId, chatId, turn });
    else await jobs.turn(db, { workspaceId, chatId, turnId: turn.turnId }, opening);
  }
}
