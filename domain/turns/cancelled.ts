import type { Db } from '../../db/client.ts';
import type { ServiceContext } from '../context.ts';
import { charge } from '../usage/minutes.ts';
import { type Claim, holdTodo } from './steps.ts';

const hold = `select attempt = $3 and outcome is not distinct from 'cancelled' as "isOurs", active_ms as "activeMs", minutes
  from chat_turns where workspace_id = $1 and id = $2 for update`;
// The workspace is locked: of two workers that had the turn, the second sees what the first one charged.
const lockBalance = 'select 1 from workspaces where id = $1 for no key update';
const entered = `select coalesce(-sum(minutes), 0) as minutes from minute_entries where workspace_id = $1 and turn_id = $2`;

interface Held {
  isOurs: boolean;
  activeMs: number;
  minutes: string;
}

/** What the ledger has of a turn that was erased with its chat. */
async function ofErased(db: Db, { workspaceId, turnId }: Claim): Promise<Held> {
  await db.rows(lockBalance, [workspaceId]);
  const [ledger] = await db.rows<{ minutes: string }>(entered, [workspaceId, turnId]);
  return { isOurs: true, activeMs: 0, minutes: ledger?.minutes ?? '0' };
}

/**
 * Charges a turn that was cancelled, or erased with its chat, while its worker asked the engine, which nobody else
 * knows. `activeMs`: of the whole turn; what was charged before is not charged again. Nothing when the turn did not end
 * so, or another worker had it.
 */
export async function chargeCancelled(ctx: ServiceContext, claim: Claim, activeMs: number): Promise<void> {
  const { workspaceId, turnId, attempt } = claim;
  await ctx.db.transaction(async (db) => {
    await holdTodo(db, claim);
    const [held] = await db.rows<Held>(hold, [workspaceId, turnId, attempt]);
    const turn = held ?? (await ofErased(db, claim));
    if (!turn.isOurs || turn.activeMs >= activeMs) return;
    await charge({ ...ctx, db }, { ...claim, activeMs, minutes: Number(turn.minutes) });
  });
}
