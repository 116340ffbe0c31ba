import { type KeyObject, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../context.ts';
import type { LoggedEvent } from '../event-logs.ts';
import { cursorAt, eventErrors, occurrenceOf, type WantedEvents } from '../events/occurrences.ts';
import { logEnds } from '../events/read.ts';
import { cancelDeliveries } from './disable.ts';
import { isSecret, type SecretOwner, storedSecret } from './secrets.ts';

/** What makes two subscriptions of one credential the same. */
export interface SubscriptionKey extends WantedEvents {
  url: string;
}

/** The key or session, or the consent of an app, that a subscription belongs to. */
export function holderOf({ grantId, credentialId }: Principal) {
  return grantId === undefined
    ? { credentialId, connectedAppId: null }
    : { credentialId: null, connectedAppId: grantId };
}

/** The header of every request to a subscription. */
export function subscriptionHeader(endpointId: string) {
  return { 'X-MCP-Subscription-Id': `sub_${endpointId.replaceAll('-', '')}` };
}

/** How long the previous secret signs too. */
const graceHours = 1;

interface Row {
  owner: SecretOwner;
  principal: Principal;
  given: SubscriptionKey;
  /** The secret. */
  bytes: Buffer;
  key: KeyObject;
  /** The position at which it begins. */
  start: number;
  forMs: number;
}

/** `isContinued`: it goes on where it was, whatever the cursor of the client. */
interface Granted {
  refreshBefore: string;
  isContinued: boolean;
}

const lifetime = `now() + make_interval(secs => $3::float8 / 1000)`;
const hold = `select secret, enabled, expires_at > now() as "isCurrent" from webhook_endpoints
  where workspace_id = $1 and id = $2 for no key update`;
const refresh = `update webhook_endpoints set expires_at = ${lifetime},
    previous_secret = case when $4::bytea is null then previous_secret else secret end,
    previous_secret_expires_at = case when $4::bytea is null then previous_secret_expires_at
      else now() + interval '${graceHours} hours' end,
    secret = coalesce($4::bytea, secret), sequence = case when enabled then sequence else $5::bigint end,
    enabled = true, disabled_reason = null, disabled_at = null, failing_since = null, failures = 0, paused_until = null,
    updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning expires_at as "refreshBefore"`;
// The one that ended before has the same id. What that delivered is sent again where the new one begins earlier.
const insert = `insert into webhook_endpoints as e (workspace_id, id, expires_at, user_id, credential_id, connected_app_id, url,
    types, enabled, ordered, secret, sequence, subscription, resend_to)
  values ($1, $2, ${lifetime}, $4, $5, $6, $7, array[$8::text], true, false, $9, $10, $11::jsonb, $12)
  on conflict (workspace_id, id) do update set expires_at = excluded.expires_at, user_id = excluded.user_id, enabled = true,
    secret = excluded.secret, previous_secret = null, previous_secret_expires_at = null, sequence = excluded.sequence,
    resend_to = excluded.resend_to, disabled_reason = null, disabled_at = null, failing_since = null, failures = 0,
    paused_until = null, due_at = null, is_leased = false, attempt = e.attempt + 1, created_at = now(), updated_at = now()
  returning expires_at as "refreshBefore"`;

/** Refreshes a subscription; undefined when there is none, or it has ended. */
export async function refreshSubscription(tx: Db, { owner, bytes, key, start, forMs }: Row) {
  const { workspaceId, endpointId } = owner;
  const [held] = await tx.rows<{ secret: Buffer; enabled: boolean; isCurrent: boolean }>(hold, [
    workspaceId,
    endpointId,
  ]);
  if (!held?.isCurrent) return undefined;
  const secret = isSecret(held.secret, key, owner, bytes) ? null : storedSecret(key, owner, bytes);
  const values = [workspaceId, endpointId, forMs, secret, start];
  const [row] = await tx.rows<Pick<Granted, 'refreshBefore'>>(refresh, values);
  if (!row) throw new Error('the update of a subscription returned no row');
  return { ...row, isContinued: held.enabled } satisfies Granted;
}

/** Inserts a subscription, in the place of one that ended. */
export async function insertSubscription(tx: Db, row: Row): Promise<Granted> {
  const { owner, principal, given, bytes, key, start, forMs } = row;
  const { credentialId, connectedAppId } = holderOf(principal);
  const holder = [principal.userId, credentialId, connectedAppId];
  const secret = storedSecret(key, owner, bytes);
  const wanted = [given.url, given.name, secret, start, JSON.stringify(given.arguments)];
  await cancelDeliveries(tx, owner.workspaceId, owner.endpointId);
  const { latest } = await logEnds(tx, owner.workspaceId);
  const values = [owner.workspaceId, owner.endpointId, forMs, ...holder, ...wanted, latest];
  const [inserted] = await tx.rows<Pick<Granted, 'refreshBefore'>>(insert, values);
  if (!inserted) throw new Error('the insert of a subscription returned no row');
  return { ...inserted, isContinued: false };
}

const watermark = `select coalesce((select min(d.sequence) - 1 from webhook_deliveries d
      where d.workspace_id = $1 and d.endpoint_id = $2 and d.status = 'pending' and d.id is distinct from $3::uuid),
    e.sequence)::text as sequence
  from webhook_endpoints e where e.workspace_id = $1 and e.id = $2`;

/** The position up to which everything was delivered or given up, the delivery `carriedBy` aside. */
export async function watermarkOf(
  db: Db,
  { workspaceId, endpointId }: SecretOwner,
  carriedBy: string | null = null,
): Promise<number> {
  const [row] = await db.rows<{ sequence: string }>(watermark, [workspaceId, endpointId, carriedBy]);
  return Number(row?.sequence ?? 0);
}

/** The body of a delivery to a subscription. */
export async function occurrenceBody(
  db: Db,
  owner: SecretOwner,
  deliveryId: string,
  event: LoggedEvent,
): Promise<string> {
  const cursor = cursorAt(owner.workspaceId, await watermarkOf(db, owner, deliveryId));
  return JSON.stringify({ ...occurrenceOf(event), cursor });
}

/** What the address of a subscription gets when its holder may read no more: the last message. */
export function terminationMessage() {
  const error = { code: eventErrors.Forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } };
  return {
    id: `msg_terminated_${randomBytes(12).toString('hex')}`,
    body: JSON.stringify({ type: 'terminated', error }),
  };
}
