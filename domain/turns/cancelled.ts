import type { ServiceContext } from '../context.ts';
import { charge } from '../usage/minutes.ts';
import { type Claim, holdTodo } from './steps.ts';

const hold = `select active_ms as "activeMs", minutes from chat_turns
  where workspace_id = $1 and id = $2 and attempt = $3 and outcome = 'cancelled' for update`;

/**
 * Charges a turn that was cancelled while its worker asked the engine, which nobody else knows. `activeMs`: of the whole
 * turn; what was charged before is not charged again. Nothing when the turn did not end so, or another worker had it.
 */
export async function chargeCancelled(ctx: ServiceContext, claim: Claim, activeMs: number): Promise<void> {
  const { workspaceId, turnId, attempt } = claim;
  await ctx.db.transaction(async (db) => {
    await holdTodo(db, claim);
    const [turn] = await db.rows<{ activeMs: number; minutes: string }>(hold, [workspaceId, turnId, attempt]);
    if (!turn || turn.activeMs >= activeMs) return;
    await charge({ ...ctx, db }, { ...claim, activeMs, minutes: Number(turn.minutes) });
  });
}
