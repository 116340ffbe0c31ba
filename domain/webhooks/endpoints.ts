import { isDeepStrictEqual } from 'node:util';
import { v7 as newId } from 'uuid';
import { holdMembership, lockWorkspace } from '../accounts/membership.ts';
import type { Context } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import { requireMatch, tagOf } from '../etag.ts';
import { recordErasure } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { cancelDeliveries } from './disable.ts';
import { endEndpoint } from './ending.ts';
import { requireTypes } from './rights.ts';
import { type EndpointRow, endpointColumns, endpointOf, findEndpoint } from './rows.ts';
import { newEndpointSecret } from './secrets.ts';
import { type EndpointAnswer, type EndpointChange, type NewEndpoint, WebhookEndpoint } from './shapes.ts';

const maxEndpoints = 100;
/** How long the previous secret signs too. */
const rotationHours = 24;

const count = `select count(*)::int as count from webhook_endpoints
  where workspace_id = $1 and subscription is null and expires_at is null`;
const log = `with log as materialized (
    select coalesce(max(p.latest), 0) as latest from event_positions p where p.workspace_id = $1
  )`;
const insert = `${log} insert into webhook_endpoints
    (workspace_id, id, user_id, credential_id, url, description, types, enabled, ordered, secret, sequence)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, log.latest from log returning ${endpointColumns}`;
// An endpoint that is enabled again gets the events from then on. What a change makes due is for a worker to find.
const update = `${log} update webhook_endpoints set url = $3, description = $4, types = $5, ordered = $6,
    user_id = $7, credential_id = $8, enabled = $9,
    sequence = case when $9 and not enabled then log.latest else sequence end,
    resend_to = case when $9 and not enabled then 0 else resend_to end,
    disabled_reason = case when $9 then null else disabled_reason end,
    disabled_at = case when $9 then null when enabled then now() else disabled_at end,
    failing_since = case when $10 then null else failing_since end, failures = case when $10 then 0 else failures end,
    paused_until = case when $10 then null else paused_until end,
    due_at = case when $9 and (is_leased or due_at is null) then due_at when $9 then now() end,
    is_leased = $9 and is_leased,
    attempt = case when $9 then attempt else attempt + 1 end, updated_at = greatest(now(), updated_at)
  from log where workspace_id = $1 and id = $2 returning ${endpointColumns}`;
/** So many previous secrets sign at most: who rotates again because an answer was lost does not know the one before. */
const maxPrevious = 3;
const rotate = `update webhook_endpoints set secret = $3, previous_secret = substring(
      secret || case when previous_secret_expires_at > now() then previous_secret else '' end
      from 1 for ${maxPrevious} * length(secret)),
    previous_secret_expires_at = now() + interval '${rotationHours} hours', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning ${endpointColumns}`;

/** The id of the key behind a request; null in a session. */
const keyOf = ({ principal }: Context) => (principal.kind === 'api_key' ? principal.credentialId : null);

/** @throws Failure 400 for an address that is none, or that no request may be sent to. */
function requireUrl({ service }: Context, url: string): void {
  const refusal = service.webhooks.refusalOf(url);
  if (refusal !== null) throw invalid('url', `The address ${refusal}.`);
}

/** An endpoint. @throws Failure 404, 403. */
export async function getEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<EndpointAnswer> {
  return endpointOf(await findEndpoint(ctx, endpointId));
}

/** Creates an endpoint; its `secret` is returned only here. @throws Failure 400, 403, 409 when there are 100. */
export function createEndpoint(ctx: Context, { url, types, description, enabled, ordered }: NewEndpoint) {
  const { principal, service } = ctx;
  const { workspaceId, userId } = principal;
  requireTypes(principal, types);
  requireUrl(ctx, url);
  const id = newId();
  const { secret, stored } = newEndpointSecret(service.webhooks.key, { workspaceId, endpointId: id });
  const values = [
    workspaceId,
    id,
    userId,
    keyOf(ctx),
    url,
    description ?? null,
    [...new Set(types)],
    enabled,
    ordered,
    stored,
  ];
  return ctx.db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await holdMembership(tx, workspaceId, principal);
    const [found] = await tx.rows<{ count: number }>(count, [workspaceId]);
    if ((found?.count ?? 0) >= maxEndpoints) {
      throw conflict(`A workspace has at most ${maxEndpoints} webhook endpoints. Delete one first.`);
    }
    const [row] = await tx.rows<EndpointRow>(insert, values);
    if (!row) throw new Error('the insert of an endpoint returned no row');
    await recordEvent(tx, workspaceId, { type: 'webhook_endpoint.created', objectId: id });
    return withSecret(ctx, row, secret);
  });
}

/** The answer with a new secret. Its tag is that of a read, which has none. */
function withSecret({ reply }: Context, row: EndpointRow, secret: string) {
  const endpoint = endpointOf(row);
  reply.etag = tagOf(WebhookEndpoint, endpoint);
  return { ...endpoint, secret };
}

/** The fields of two answers that differ, those that follow from others left out. */
function changedFields(before: EndpointAnswer, after: EndpointAnswer): string[] {
  const names = Object.keys(after) as (keyof EndpointAnswer)[];
  return names.filter((name) => name !== 'updatedAt' && !isDeepStrictEqual(before[name], after[name]));
}

/**
 * Changes an endpoint. Who changes where it sends what, or enables it again, is its owner from then on: their rights
 * decide. @throws Failure 400, 403, 404, 412.
 */
export function updateEndpoint(ctx: Context, { endpointId, ...changes }: EndpointChange): Promise<EndpointAnswer> {
  const { principal } = ctx;
  const { workspaceId } = principal;
  if (changes.types) requireTypes(principal, changes.types);
  if (changes.url !== undefined) requireUrl(ctx, changes.url);
  return ctx.db.transaction(async (tx) => {
    await holdMembership(tx, workspaceId, principal);
    const before = endpointOf(await findEndpoint({ ...ctx, db: tx }, endpointId, true));
    requireMatch(ctx.ifMatch, WebhookEndpoint, before);
    const { url = before.url, description = before.description, enabled = before.enabled } = changes;
    const { ordered = before.ordered } = changes;
    const others = new Set(before.types).symmetricDifference(new Set(changes.types ?? before.types));
    const types = changes.types && others.size > 0 ? [...new Set(changes.types)] : before.types;
    const wanted = { ...before, url, description, enabled, ordered, types };
    if (changedFields(before, wanted).length === 0) return before;
    const isElsewhere = url !== before.url || others.size > 0;
    const isAnew = url !== before.url || (enabled && !before.enabled);
    const isTaken = isElsewhere || isAnew;
    const owner = isTaken ? [principal.userId, keyOf(ctx)] : [before.userId, before.apiKeyId];
    const values = [workspaceId, endpointId, url, description, types, ordered, ...owner, enabled, isAnew];
    const [row] = await tx.rows<EndpointRow>(update, values);
    if (!row) throw new Error('the update of an endpoint returned no row');
    if (before.enabled && !enabled) await cancelDeliveries(tx, workspaceId, endpointId);
    const after = endpointOf(row);
    await recordEvent(tx, workspaceId, {
      type: 'webhook_endpoint.updated',
      objectId: endpointId,
      changedFields: changedFields(before, after),
    });
    return after;
  });
}

/** Deletes an endpoint with its deliveries; what waits is not sent. @throws Failure 403, 404. */
export function deleteEndpoint(ctx: Context, { endpointId }: { endpointId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const found = endpointOf(await findEndpoint({ ...ctx, db: tx }, endpointId, true));
    requireMatch(ctx.ifMatch, WebhookEndpoint, found);
    await endEndpoint(tx, { workspaceId, endpointId });
    await recordErasure(tx, workspaceId, [{ type: 'webhook_endpoint.deleted', objectId: endpointId }]);
    return { object: 'deleted' as const, id: found.id, deleted: true as const, recoverable: false };
  });
}

/**
 * Gives an endpoint a new secret, returned only here. For 24 hours deliveries are signed with those before it too.
 * @throws Failure 403, 404.
 */
export function rotateSecret(ctx: Context, { endpointId }: { endpointId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const found = await findEndpoint({ ...ctx, db: tx }, endpointId, true);
    const { secret, stored } = newEndpointSecret(ctx.service.webhooks.key, { workspaceId, endpointId: found.id });
    const [row] = await tx.rows<EndpointRow>(rotate, [workspaceId, found.id, stored]);
    if (!row) throw new Error('the update of an endpoint returned no row');
    const changed = ['previousSecretExpiresAt'];
    await recordEvent(tx, workspaceId, {
      type: 'webhook_endpoint.updated',
      objectId: found.id,
      changedFields: changed,
    });
    return withSecret(ctx, row, secret);
  });
}
