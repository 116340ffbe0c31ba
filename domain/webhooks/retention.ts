import type { Db } from '../../db/client.ts';

const batch = 5000;

// What waits for its next try is kept, also when it was asked for again meanwhile; its attempts go with a delivery.
const expire = `with gone as (
    delete from webhook_deliveries where (workspace_id, id) in (
      select workspace_id, id from webhook_deliveries
      where created_at < now() - make_interval(days => $1::int) and status <> 'pending' limit ${batch}
    ) and status <> 'pending' returning 1
  ) select count(*)::int as deleted from gone`;

/**
 * Deletes the deliveries that are older than `days`, with their requests and answers, in batches. Several processes may do
 * so at once.
 */
export async function sweepDeliveries(db: Db, days: number): Promise<void> {
  for (let deleted = batch; deleted === batch; ) {
    const [row] = await db.rows<{ deleted: number }>(expire, [days]);
    deleted = row?.deleted ?? 0;
  }
}
