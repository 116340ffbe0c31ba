import type { Db } from '../../db/client.ts';

/*
 * An endpoint that was deleted, and a subscription that ended, have a row until the sweep has deleted their deliveries,
 * which takes as long as there are many. `expires_at` is when it ended: from then on nothing reads it or sends to it.
 */

const end = `update webhook_endpoints set expires_at = now(), enabled = false, due_at = null, is_leased = false,
    attempt = attempt + 1
  where workspace_id = $1 and id = $2`;
const endSubscription = `${end} and subscription is not null and expires_at > now() returning 1`;
const endClaimed = `${end} and attempt = $3 and subscription is not null`;

interface EndpointRef {
  workspaceId: string;
  endpointId: string;
}

/** Ends an endpoint or a subscription that the transaction holds. */
export async function endEndpoint(tx: Db, { workspaceId, endpointId }: EndpointRef): Promise<void> {
  await tx.rows(end, [workspaceId, endpointId]);
}

/** Ends a subscription that has not ended; false when there is none. */
export async function endSubscriptionOf(db: Db, { workspaceId, endpointId }: EndpointRef): Promise<boolean> {
  return (await db.rows(endSubscription, [workspaceId, endpointId])).length > 0;
}

/** Ends a subscription that a worker holds. */
export async function endClaimedSubscription(
  db: Db,
  { workspaceId, endpointId, attempt }: EndpointRef & { attempt: number },
): Promise<void> {
  await db.rows(endClaimed, [workspaceId, endpointId, attempt]);
}
