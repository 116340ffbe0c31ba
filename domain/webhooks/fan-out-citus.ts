import type { Db } from '../../db/client.ts';

/** What is saved of an endpoint: its new deliveries, and its position behind them. */
export interface Next {
  deliveries: {
    workspaceId: string;
    id: string;
    endpointId: string;
    eventId: string;
    sequence: number;
    type: string;
  }[];
  moved: { workspaceId: string; endpointId: string; sequence: number; hasMore: boolean };
}

/*
 * The statements of `makeDeliveries` for one workspace, `$2`: Citus finds its node by that, and takes no subquery in ON
 * CONFLICT.
 */

const given = (columns: string) => `jsonb_to_recordset($1::jsonb) as g(${columns})`;

const insert = `insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, sequence, type, due_at)
  select $2::uuid, g.id, g."endpointId", g."eventId", g.sequence, g.type, now()
  from ${given('id uuid, "endpointId" uuid, "eventId" uuid, sequence bigint, type text')}
  on conflict (workspace_id, endpoint_id, event_id) do nothing`;
const again = `update webhook_deliveries d set status = 'pending', tries = 0, due_at = now(), ended_at = null
  from ${given('id uuid, "endpointId" uuid, "eventId" uuid')}, webhook_endpoints e
  where d.workspace_id = $2 and d.endpoint_id = g."endpointId" and d.event_id = g."eventId" and d.id <> g.id
    and e.workspace_id = $2 and e.id = g."endpointId"
    and (d.status in ('failed', 'cancelled') or (d.status = 'delivered' and d.sequence <= e.resend_to))`;
const move = `update webhook_endpoints e set sequence = g.sequence,
    due_at = case when g."hasMore" and not e.is_leased then greatest(now(), e.paused_until) else e.due_at end
  from ${given('"endpointId" uuid, sequence bigint, "hasMore" boolean')}
  where e.workspace_id = $2 and e.id = g."endpointId"`;

/** Saves the deliveries and the positions. Whether an endpoint has something to send. */
export async function saveOnCitus(tx: Db, next: readonly Next[]): Promise<boolean> {
  for (const [workspaceId, ofWorkspace] of Map.groupBy(next, ({ moved }) => moved.workspaceId)) {
    const deliveries = ofWorkspace.flatMap((each) => each.deliveries);
    if (deliveries.length > 0) {
      const values = [JSON.stringify(deliveries), workspaceId];
      await tx.rows(insert, values);
      await tx.rows(again, values);
    }
    await tx.rows(move, [JSON.stringify(ofWorkspace.map(({ moved }) => moved)), workspaceId]);
  }
  return next.some(({ moved }) => moved.hasMore);
}
