import type { Db } from '../../db/client.ts';
import type { webhookEndpoints } from '../../db/schema/index.ts';
import { recordEvent } from '../events/record.ts';
import { wake } from '../jobs.ts';
import { type NotifyContext, notify } from '../notifications/notify.ts';
import { endEndpoint } from './ending.ts';

export type DisabledReason = NonNullable<typeof webhookEndpoints.$inferSelect.disabledReason>;

// The number of the attempt goes up: a worker that is sending saves nothing more about the endpoint.
const disable = `update webhook_endpoints set enabled = false, disabled_reason = $3, disabled_at = now(), due_at = null,
    is_leased = false, attempt = attempt + 1, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and enabled
  returning user_id as "userId", url, subscription is not null as "isSubscription"`;
const cancel = `update webhook_deliveries set status = 'cancelled', due_at = null, ended_at = now()
  where workspace_id = $1 and endpoint_id = $2 and status = 'pending'`;

const texts: Record<DisabledReason, string> = {
  gone: 'It responded with 410 Gone, which means that no more events are wanted.',
  failing: 'No delivery succeeded for five days.',
  rights_ended: 'The credential that it was made with may no longer read the events.',
};

// Where the person is no longer a member, the owners of the workspace: one of them may enable it again, as theirs.
const readers = `select user_id as id, user_id = $2 as "isMaker" from members
  where workspace_id = $1 and removed_at is null and (user_id = $2 or role = 'owner')`;

interface Disabled {
  userId: string;
  url: string;
  isSubscription: boolean;
}

/** Ends the deliveries of an endpoint that wait. Call it in the transaction that disables the endpoint. */
export async function cancelDeliveries(tx: Db, workspaceId: string, endpointId: string): Promise<void> {
  await tx.rows(cancel, [workspaceId, endpointId]);
}

/** The host of an address: its path may be a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an endpoint';
}

/** Who is notified of an endpoint of a person. */
async function readersOf(tx: Db, workspaceId: string, userId: string): Promise<string[]> {
  const found = await tx.rows<{ id: string; isMaker: boolean }>(readers, [workspaceId, userId]);
  const maker = found.filter(({ isMaker }) => isMaker);
  return (maker.length > 0 ? maker : found).map(({ id }) => id);
}

/**
 * Disables an endpoint for a reason that the service found, cancels what waits, and notifies its person, or the owners
 * of the workspace where that is no longer a member. Does nothing when
 * it is disabled or gone. `ctx.db` is a transaction.
 */
export async function disableEndpoint(
  ctx: NotifyContext,
  { workspaceId, endpointId }: { workspaceId: string; endpointId: string },
  reason: DisabledReason,
): Promise<void> {
  const [row] = await ctx.db.rows<Disabled>(disable, [workspaceId, endpointId, reason]);
  if (!row) return;
  // A client that refreshes a subscription goes on with it; one whose address answered 410 has none any more.
  if (row.isSubscription && reason === 'gone') await endEndpoint(ctx.db, { workspaceId, endpointId });
  else await cancelDeliveries(ctx.db, workspaceId, endpointId);
  if (row.isSubscription) return;
  const changedFields = ['enabled', 'disabledReason', 'disabledAt'];
  await recordEvent(ctx.db, workspaceId, { type: 'webhook_endpoint.updated', objectId: endpointId, changedFields });
  await notify(ctx, {
    workspaceId,
    userIds: await readersOf(ctx.db, workspaceId, row.userId),
    kind: 'webhook_disabled',
    title: `The webhook to ${hostOf(row.url)} was disabled`,
    text: `${texts[reason]} Nothing is sent until it is enabled again in Settings, Webhooks.`,
    dedupe: `webhook_disabled:${endpointId}:${ctx.clock().toISOString()}`,
  });
}

const found = `select id from webhook_endpoints where workspace_id = $1 and user_id = $2`;
const all = `${found} and subscription is null and enabled order by id`;
const ofSessions = `${found} and credential_id is null and connected_app_id is null and enabled order by id`;
// A worker that holds one has looked whether it may be read before: it loses it, and the next one looks again.
const endSubscriptions = `update webhook_endpoints set due_at = now(), is_leased = false, attempt = attempt + 1
  where workspace_id = $1 and user_id = $2 and subscription is not null and enabled returning 1`;

async function disableFound(ctx: NotifyContext, text: string, workspaceId: string, userId: string): Promise<void> {
  for (const { id } of await ctx.db.rows<{ id: string }>(text, [workspaceId, userId]))
    await disableEndpoint(ctx, { workspaceId, endpointId: id }, 'rights_ended');
}

/**
 * Disables the endpoints that a person made in sessions, in these workspaces: who took over a session may have made
 * them, as keys and apps. Those of keys and apps end with them. `ctx.db` is a transaction that `lockAccess` has locked.
 */
export async function disableEndpointsOf(ctx: NotifyContext, userId: string, workspaceIds: readonly string[]) {
  for (const workspaceId of workspaceIds) await disableFound(ctx, ofSessions, workspaceId, userId);
}

/**
 * Disables all endpoints of a person who leaves a workspace: they do not go on if the person is invited again.
 * Subscriptions over MCP end, each with a last request, by the worker that finds that nobody may read their events any
 * more.
 */
export async function disableEndpointsOfLeaver(ctx: NotifyContext, userId: string, workspaceId: string): Promise<void> {
  await disableFound(ctx, all, workspaceId, userId);
  if ((await ctx.db.rows(endSubscriptions, [workspaceId, userId])).length > 0) wake(ctx.db, 'webhooks');
}
