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
 * Deletes the deliveries that are older than `days`, with their requests and answers, in batches. Several processes may
 * do so at once.
 */
export async function sweepDeliveries(db: Db, days: number): Promise<void> {
  for (let deleted = batch; deleted === batch; ) {
    const [row] = await db.rows<{ deleted: number }>(expire, [days]);
    deleted = row?.deleted ?? 0;
  }
}

const ended = `select workspace_id as "workspaceId", id from webhook_endpoints
  where expires_at < now() - interval '1 hour' limit 100`;
const holdEnded = `select 1 from webhook_endpoints
  where workspace_id = $1 and id = $2 and expires_at < now() - interval '1 hour' for update`;
const deleteDeliveries = `with gone as (
    delete from webhook_deliveries where workspace_id = $1 and id in (
      select d.id from webhook_deliveries d where d.workspace_id = $1 and d.endpoint_id = $2 limit ${batch}) returning 1
  ) select count(*)::int as deleted from gone`;
const remove = 'delete from webhook_endpoints where workspace_id = $1 and id = $2';

/**
 * Deletes a batch of the deliveries of an endpoint that ended, and after the last one its row. Whether more is left.
 */
function deleteSome(db: Db, workspaceId: string, id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    // A subscription may have begun again.
    if ((await tx.rows(holdEnded, [workspaceId, id])).length === 0) return false;
    const [row] = await tx.rows<{ deleted: number }>(deleteDeliveries, [workspaceId, id]);
    if (row?.deleted === batch) return true;
    await tx.rows(remove, [workspaceId, id]);
    return false;
  });
}

/** Deletes the endpoints and subscriptions that ended an hour ago, with their deliveries, in batches. */
export async function sweepEndpoints(db: Db): Promise<void> {
  for (;;) {
    const found = await db.rows<{ workspaceId: string; id: string }>(ended, []);
    if (found.length === 0) return;
    for (const { workspaceId, id } of found) while (await deleteSome(db, workspaceId, id));
  }
}
