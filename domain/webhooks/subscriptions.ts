import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { holdMembership, lockWorkspace } from '../accounts/membership.ts';
import type { AuthenticatedContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { type Continuation, cursorAt, startOf } from '../events/occurrences.ts';
import { type DeliveryStatus, deliveryStatusOf, failureOf, type WebhookFailure } from './delivery-status.ts';
import { endSubscriptionOf } from './ending.ts';
import { type SecretOwner, signedHeaders, storedSecret } from './secrets.ts';
import {
  holderOf,
  insertSubscription,
  refreshSubscription,
  type SubscriptionKey,
  subscriptionHeader,
  watermarkOf,
} from './subscription-rows.ts';
import { wakeEndpoint, wakeFanOut } from './wake.ts';

/*
 * Subscriptions of clients of MCP (SEP-3415): webhook endpoints for one type of events, which last for a while, belong
 * to a key or to the consent of an app, and sign with a secret of the client. The worker of webhooks delivers to them.
 */

const maxSubscriptions = 100;
const minute = 60_000;
const day = 24 * 60 * minute;
/** How long a subscription lasts: the least, the most, and when the client does not say. */
const ttlMs = { min: minute, max: 30 * day, default: day };

export interface NewSubscription extends SubscriptionKey, Continuation {
  /** As Standard Webhooks has it: `whsec_` and base64. */
  secret: string;
  /** Null: for ever, which is not granted. */
  ttlMs?: number | null | undefined;
}

export interface Subscription {
  id: string;
  refreshBefore: string;
  /** Everything before it was delivered, or given up. */
  cursor: string;
  truncated: boolean;
  deliveryStatus?: DeliveryStatus;
}

export type SubscribeOutcome =
  | { kind: 'subscribed'; subscription: Subscription }
  | { kind: 'too_many'; max: number }
  | { kind: 'unverified'; reason: WebhookFailure };

/** The id follows from the key of the subscription: the same request finds the same one, on every process. */
function endpointIdOf({ principal }: AuthenticatedContext, { url, name, arguments: given }: SubscriptionKey): string {
  const { credentialId, connectedAppId } = holderOf(principal);
  const key = JSON.stringify([principal.workspaceId, credentialId, connectedAppId, url, name, given]);
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  // The version and variant of a UUID that follows no other version (RFC 9562 §5.8).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** @throws Failure 400 for what is no secret of Standard Webhooks. */
function secretBytes(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? '';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded) return bytes;
  throw invalid('delivery.secret', 'delivery.secret must be whsec_ and the base64 of 24 to 64 random bytes.');
}

/** @throws Failure 400 for an address that no request may be sent to. */
function requireUrl({ service }: AuthenticatedContext, url: string): void {
  const refusal = service.webhooks.refusalOf(url);
  if (refusal !== null) throw invalid('delivery.url', `delivery.url ${refusal}.`);
}

const verified = `select 1 from webhook_endpoints where workspace_id = $1 and url = $2 and subscription is not null
  and expires_at > now()
  and credential_id is not distinct from $3 and connected_app_id is not distinct from $4 limit 1`;

/** Whether the body of an answer repeats the challenge. */
function echoes(body: string | null, challenge: string): boolean {
  try {
    const given = Buffer.from(String((JSON.parse(body ?? '') as { challenge?: unknown } | null)?.challenge));
    const expected = Buffer.from(challenge);
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}

/**
 * Asks the address whether it wants the events, as long as the holder has no subscription there: nobody's address gets
 * events because somebody else named it. Null when it does.
 */
async function verify(
  ctx: AuthenticatedContext,
  { url, bytes, owner }: { url: string; bytes: Buffer; owner: SecretOwner },
): Promise<WebhookFailure | null> {
  const { credentialId, connectedAppId } = holderOf(ctx.principal);
  const values = [owner.workspaceId, url, credentialId, connectedAppId];
  if ((await ctx.db.rows(verified, values)).length > 0) return null;
  const { key, send } = ctx.service.webhooks;
  const challenge = randomBytes(24).toString('base64url');
  const body = JSON.stringify({ type: 'verification', challenge });
  const id = `msg_verification_${randomBytes(12).toString('hex')}`;
  const at = Math.floor(ctx.clock().getTime() / 1000);
  const signed = signedHeaders({ id, at, body }, [storedSecret(key, owner, bytes)], key, owner);
  const headers = { ...signed, ...subscriptionHeader(owner.endpointId) };
  const attempt = await send(owner.workspaceId, { url, headers, body });
  return failureOf(attempt) ?? (echoes(attempt.responseBody, challenge) ? null : 'challenge_failed');
}

const count = `select count(*)::int as count from webhook_endpoints
  where workspace_id = $1 and subscription is not null and expires_at > now()`;

/**
 * Subscribes an address to events, or refreshes the subscription: its time begins anew, another secret replaces the one
 * before, and what was suspended goes on. @throws Failure 400 for an address, secret or cursor that is not valid.
 */
export async function subscribe(ctx: AuthenticatedContext, given: NewSubscription): Promise<SubscribeOutcome> {
  const { principal, service } = ctx;
  const { workspaceId } = principal;
  requireUrl(ctx, given.url);
  const bytes = secretBytes(given.secret);
  const owner = { workspaceId, endpointId: endpointIdOf(ctx, given) };
  const begin = await startOf(ctx, workspaceId, given);
  const reason = await verify(ctx, { url: given.url, bytes, owner });
  if (reason !== null) return { kind: 'unverified', reason };
  const wanted = given.ttlMs === null ? ttlMs.max : (given.ttlMs ?? ttlMs.default);
  const forMs = Math.min(Math.max(wanted, ttlMs.min), ttlMs.max);
  return ctx.db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await holdMembership(tx, workspaceId, principal);
    const deliveryStatus = await deliveryStatusOf(tx, owner);
    const row = { owner, principal, given, bytes, key: service.webhooks.key, start: begin.start, forMs };
    const known = await refreshSubscription(tx, row);
    if (!known) {
      const [found] = await tx.rows<{ count: number }>(count, [workspaceId]);
      if ((found?.count ?? 0) >= maxSubscriptions) return { kind: 'too_many' as const, max: maxSubscriptions };
    }
    const { refreshBefore, isContinued } = known ?? (await insertSubscription(tx, row));
    await wakeEndpoint(tx, workspaceId, owner.endpointId, true);
    wakeFanOut(tx, workspaceId);
    const subscription = {
      id: subscriptionHeader(owner.endpointId)['X-MCP-Subscription-Id'],
      refreshBefore,
      cursor: cursorAt(workspaceId, await watermarkOf(tx, owner)),
      truncated: isContinued ? false : begin.truncated,
      ...(deliveryStatus && { deliveryStatus }),
    };
    return { kind: 'subscribed' as const, subscription };
  });
}

/** Ends a subscription; what waits is not sent. False when the credential has no such one. */
export function unsubscribe(ctx: AuthenticatedContext, key: SubscriptionKey): Promise<boolean> {
  return endSubscriptionOf(ctx.db, { workspaceId: ctx.principal.workspaceId, endpointId: endpointIdOf(ctx, key) });
}
