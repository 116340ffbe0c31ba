import type { Db } from '../../db/client.ts';
import type { webhookAttempts, webhookDeliveries, webhookEndpoints } from '../../db/schema/index.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireTypes, type WantedType } from './rights.ts';
import type { AttemptAnswer, DeliveryAnswer, EndpointAnswer } from './shapes.ts';

type Endpoint = typeof webhookEndpoints.$inferSelect;

/** An endpoint as its answer shows it. */
export type EndpointRow = Pick<
  Endpoint,
  'id' | 'url' | 'description' | 'enabled' | 'ordered' | 'disabledReason' | 'disabledAt' | 'failingSince' | 'userId'
> &
  Pick<Endpoint, 'createdAt' | 'updatedAt' | 'previousSecretExpiresAt'> & {
    types: WantedType[];
    apiKeyId: string | null;
  };

/** The select list of `EndpointRow`. */
export const endpointColumns = `id, url, description, types, enabled, ordered, disabled_reason as "disabledReason",
  disabled_at as "disabledAt", failing_since as "failingSince", user_id as "userId", credential_id as "apiKeyId",
  case when previous_secret_expires_at > now() then previous_secret_expires_at end as "previousSecretExpiresAt",
  created_at as "createdAt", updated_at as "updatedAt"`;

export const endpointOf = (row: EndpointRow): EndpointAnswer => ({ object: 'webhook_endpoint', ...row });

const one = `select ${endpointColumns} from webhook_endpoints
  where workspace_id = $1 and id = $2 and subscription is null and expires_at is null`;
const hold = `${one} for no key update`;

/**
 * An endpoint that the credential may see; with `lock` it is held until the transaction of `db` ends.
 * @throws Failure 404; 403 when the credential may not read its events.
 */
export async function findEndpoint(
  { db, principal }: Pick<Context, 'db' | 'principal'>,
  endpointId: string,
  lock = false,
): Promise<EndpointRow> {
  const [row] = await db.rows<EndpointRow>(lock ? hold : one, [principal.workspaceId, endpointId]);
  if (!row) throw notFound('webhook endpoint', 'endpointId');
  requireTypes(principal, row.types);
  return row;
}

type Delivery = typeof webhookDeliveries.$inferSelect;

/** A delivery without its attempts. */
export type DeliveryRow = Pick<
  Delivery,
  'id' | 'endpointId' | 'eventId' | 'type' | 'status' | 'tries' | 'createdAt' | 'endedAt'
> & { sequence: number | string | null; nextTryAt: string | null };

/** The select list of `DeliveryRow`, of the table called `d`. */
export const deliveryColumns = `d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.sequence, d.status,
  d.tries, case when d.status = 'pending' then d.due_at end as "nextTryAt", d.created_at as "createdAt",
  d.ended_at as "endedAt"`;

type Attempt = Omit<typeof webhookAttempts.$inferSelect, 'workspaceId'>;

const attemptColumns = `a.delivery_id as "deliveryId", a.id, a.url, a.request_headers as "requestHeaders",
  a.request_body as "requestBody", a.status, a.response_headers as "responseHeaders", a.response_body as "responseBody",
  a.error, a.duration_ms as "durationMs", a.sent_at as "sentAt"`;
const latest = `select x.* from unnest($2::uuid[]) as d(id) cross join lateral (
    select ${attemptColumns} from webhook_attempts a where a.workspace_id = $1 and a.delivery_id = d.id
    order by a.id desc limit $3
  ) x`;

function attemptOf({ id, url, requestHeaders, requestBody, ...row }: Attempt): AttemptAnswer {
  const { status, responseHeaders, responseBody, error, durationMs, sentAt } = row;
  return {
    object: 'webhook_attempt',
    id,
    sentAt,
    durationMs,
    request: { url, headers: requestHeaders, body: requestBody },
    response: status === null ? null : { status, headers: responseHeaders ?? {}, body: responseBody ?? '' },
    error,
  };
}

/** The last attempts of each of the deliveries, the newest first. */
export async function attemptsOf(
  db: Db,
  workspaceId: string,
  deliveryIds: readonly string[],
  limit: number,
): Promise<Map<string, AttemptAnswer[]>> {
  const found = new Map(deliveryIds.map((id): [string, AttemptAnswer[]] => [id, []]));
  if (found.size === 0) return found;
  const rows = await db.rows<Attempt>(latest, [workspaceId, [...found.keys()], limit]);
  for (const row of rows) found.get(row.deliveryId)?.push(attemptOf(row));
  return found;
}

/** A delivery as its answers show it. */
export function deliveryOf(row: DeliveryRow): Omit<DeliveryAnswer, 'lastAttempt'> {
  return { object: 'webhook_delivery', ...row, sequence: row.sequence === null ? null : Number(row.sequence) };
}

/** Deliveries with the last attempt of each. */
export async function withLastAttempts(
  db: Db,
  workspaceId: string,
  rows: readonly DeliveryRow[],
): Promise<DeliveryAnswer[]> {
  const ids = rows.map(({ id }) => id);
  const attempts = await attemptsOf(db, workspaceId, ids, 1);
  return rows.map((row) => ({ ...deliveryOf(row), lastAttempt: attempts.get(row.id)?.[0] ?? null }));
}
