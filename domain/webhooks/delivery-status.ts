import type { Db } from '../../db/client.ts';
import type { Attempt } from './attempts.ts';
import type { SecretOwner } from './secrets.ts';

/** Why a request failed, as clients of MCP read it: never what the other side wrote. */
export type WebhookFailure =
  | 'connection_refused'
  | 'timeout'
  | 'tls_error'
  | 'http_4xx'
  | 'http_5xx'
  | 'challenge_failed';

/** Why a try failed; null when it was accepted. */
export function failureOf({ status, error }: Pick<Attempt, 'status' | 'error'>): WebhookFailure | null {
  if (status === null) {
    if (error?.startsWith('timeout')) return 'timeout';
    return error?.startsWith('untrusted') ? 'tls_error' : 'connection_refused';
  }
  if (status >= 500) return 'http_5xx';
  return status >= 200 && status <= 299 ? null : 'http_4xx';
}

/** How the deliveries of a subscription went until now. */
export interface DeliveryStatus {
  /** Whether it was delivering. */
  active: boolean;
  lastDeliveryAt: string | null;
  lastError: WebhookFailure | null;
  failedSince?: string;
}

// Of thousands of deliveries, the newest and those around the oldest that waits: behind it are those that were not
// tried yet.
const some = (where: string) => `select d.id, d.created_at, d.status, d.ended_at from webhook_deliveries d
    where d.workspace_id = $1 and d.endpoint_id = $2 ${where} order by d.created_at desc, d.id desc limit 50`;
const oldestPending = `select p.created_at from webhook_deliveries p
    where p.workspace_id = $1 and p.endpoint_id = $2 and p.status = 'pending' order by p.sequence limit 1`;
const read = `with recent as materialized (
    (${some('')}) union (${some(`and d.created_at <= (${oldestPending})`)})
  )
  select e.enabled, e.failing_since as "failingSince", a.status, a.error, a.id is not null as "hasTried",
    (select max(r.ended_at) from recent r where r.status = 'delivered') as "lastDeliveryAt"
  from webhook_endpoints e left join lateral (
    select x.id, x.status, x.error from recent r cross join lateral (
      select y.id, y.status, y.error from webhook_attempts y
      where y.workspace_id = $1 and y.delivery_id = r.id order by y.id desc limit 1
    ) x order by x.id desc limit 1
  ) a on true
  where e.workspace_id = $1 and e.id = $2 and e.expires_at > now()`;

interface Row extends Pick<Attempt, 'status' | 'error'> {
  enabled: boolean;
  failingSince: string | null;
  lastDeliveryAt: string | null;
  hasTried: boolean;
}

/** The status of a subscription; undefined when there is none. */
export async function deliveryStatusOf(db: Db, { workspaceId, endpointId }: SecretOwner) {
  const [row] = await db.rows<Row>(read, [workspaceId, endpointId]);
  if (!row) return undefined;
  const { enabled: active, failingSince, lastDeliveryAt, hasTried } = row;
  const lastError = hasTried ? failureOf(row) : null;
  const status: DeliveryStatus = { active, lastDeliveryAt, lastError };
  return failingSince === null ? status : { ...status, failedSince: failingSince };
}
