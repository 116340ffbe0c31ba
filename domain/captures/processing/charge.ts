import { v7 as newId } from 'uuid';
import type { CaptureRef } from '../../jobs.ts';
import { reportMinutesExhausted } from '../../notifications/events.ts';
import type { NotifyContext } from '../../notifications/notify.ts';
import { minutesOwed } from '../../usage/minutes.ts';

const read = 'select active_ms as "activeMs", minutes::float8 from captures where workspace_id = $1 and id = $2';
const count = 'update captures set active_ms = $3 where workspace_id = $1 and id = $2';
const take = `with taken as (
    update workspaces w set agent_minutes = greatest(0, w.agent_minutes - $4::numeric)
    from (select id, agent_minutes as before from workspaces where id = $1 for no key update) old where w.id = $1
    returning least(old.before, $4::numeric) as minutes, w.agent_minutes = 0 and old.before > 0 as emptied
  ), counted as (
    update captures c set active_ms = $3, minutes = c.minutes + taken.minutes from taken
    where c.workspace_id = $1 and c.id = $2
  ), entered as (
    insert into minute_entries (workspace_id, id, kind, minutes, capture_id, trigger)
    select $1, $5, 'capture', -minutes, $2, 'capture' from taken where minutes > 0
  ) select emptied from taken`;

/**
 * Charges a capture for `ms` more of work, rounded up to 0.1 minute over the whole capture (CONTRACT §6), in the
 * transaction that saves what was worked, with the capture locked. The balance never goes below zero.
 */
export async function chargeCapture(ctx: NotifyContext, capture: CaptureRef, ms: number): Promise<void> {
  const { workspaceId, captureId } = capture;
  const { db } = ctx;
  const [before] = await db.rows<{ activeMs: number; minutes: number }>(read, [workspaceId, captureId]);
  if (!before) throw new Error('the capture to be charged does not exist');
  const activeMs = before.activeMs + Math.ceil(ms);
  const owed = minutesOwed(activeMs, before.minutes);
  const values = [workspaceId, captureId, activeMs];
  if (owed <= 0) {
    await db.rows(count, values);
    return;
  }
  const entryId = newId();
  const [row] = await db.rows<{ emptied: boolean }>(take, [...values, owed, entryId]);
  if (row?.emptied) await reportMinutesExhausted(ctx, workspaceId, entryId);
}
