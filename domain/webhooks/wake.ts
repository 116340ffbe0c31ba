import type { Db } from '../../db/client.ts';
import { wake } from '../jobs.ts';

/** The channel of NOTIFY that makes the processes look at the log of a workspace again; the payload is its id. */
export const webhooksChannel = 'tandem_webhooks';

// While a worker holds the endpoint, `due_at` is the end of its lease: it looks for what waits before it gives it back.
const due = `update webhook_endpoints set
    paused_until = case when $3 then null else paused_until end,
    due_at = case when is_leased then due_at else greatest(now(), case when $3 then null else paused_until end) end
  where workspace_id = $1 and id = $2 and enabled returning 1`;

/** Has a worker look for deliveries of the endpoint now; `anew`: also while it is paused after failures. */
export async function wakeEndpoint(tx: Db, workspaceId: string, endpointId: string, anew: boolean): Promise<void> {
  if ((await tx.rows(due, [workspaceId, endpointId, anew])).length > 0) wake(tx, 'webhooks');
}

/** Has the log of a workspace looked at again once the transaction has committed. */
export function wakeFanOut(tx: Db, workspaceId: string): void {
  tx.notify(webhooksChannel, workspaceId);
}
