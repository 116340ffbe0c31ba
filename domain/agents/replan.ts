import type { OpenTurn } from '../chats/rows.ts';
import { resumeTurn } from '../chats/turns.ts';
import type { ServiceContext } from '../context.ts';
import type { AgentAnswer } from './shapes.ts';
import { nextOpening } from './working-hours.ts';

// Chats without their todos. The todos do not change, and a transaction that holds one may be waiting for the agent
// (`openingOf`). Locked in the order of their ids, as in `closeChats`.
const hold = `select c.id, c.todo_id as "todoId", c.agent_id as "agentId" from chats c where c.workspace_id = $1 and c.id in (
    select t.chat_id from chat_turns t
    where t.workspace_id = $1 and t.agent_id = $2 and t.ended_at is null and t.not_before > $3::timestamptz
  ) order by c.id for update`;
const move = `update chat_turns t set not_before = coalesce($5::timestamptz, now()),
    lease_until = greatest(now(), $5::timestamptz)
  where t.workspace_id = $1 and t.agent_id = $2 and t.chat_id = any($4::uuid[]) and t.ended_at is null
    and t.not_before > $3::timestamptz
  returning t.chat_id as "chatId", t.id as "turnId", t.run_id as "runId", t.agent_id as "agentId", t.attempt`;

/**
 * Plans turns again that wait for the working hours of a locked agent, in the transaction that changed these hours.
 * They start at once if the hours are open now, else at the next opening.
 */
export async function replan(ctx: ServiceContext, workspaceId: string, agent: AgentAnswer): Promise<void> {
  const { db, clock } = ctx;
  const now = clock();
  const { id, workingHoursEnabled, workingHours } = agent;
  const opening = workingHoursEnabled && workingHours ? nextOpening(workingHours, now) : null;
  const key = [workspaceId, id, now.toISOString()];
  const chats = await db.rows<{ id: string; todoId: string | null; agentId: string | null }>(hold, key);
  if (chats.length === 0) return;
  const values = [...key, chats.map((chat) => chat.id), opening];
  const turns = await db.rows<OpenTurn & { chatId: string }>(move, values);
  if (opening !== null) return;
  for (const turn of turns) {
    const { chatId } = turn;
    const { todoId = null, agentId = null } = chats.find((chat) => chat.id === chatId) ?? {};
    await resumeTurn(ctx, { workspaceId, chatId, todoId, agentId, turn });
  }
}
