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

const read = `select e.enabled, e.failing_since as "failingSince", s.ended_at as "lastDeliveryAt", a.status, a.error,
    a.id is not null as "hasTried"
  from webhook_endpoints e
  left join lateral (select d.ended_at from webhook_deliveries d
    where d.workspace_id = $1 and d.endpoint_id = $2 and d.status = 'delivered' order by d.ended_at desc limit 1) s on true
  left join lateral (select a.id, a.status, a.error from webhook_attempts a
    join webhook_deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id
    where d.workspace_id = $1 and d.endpoint_id = $2 order by a.id desc limit 1) a on true
  where e.workspace_id = $1 and e.id = $2`;

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
