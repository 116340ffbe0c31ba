import type { Context } from '../context.ts';
import { wholeList } from '../fields.ts';
import { visibilityOf } from './readers.ts';
import { mayReadTypes } from './rights.ts';
import { type EndpointRow, endpointColumns, endpointOf } from './rows.ts';
import type { DeliverySummary, EndpointListed } from './shapes.ts';

/** The newest delivery of an endpoint, with its event; all are null where there is none. */
interface LastDelivery {
  deliveryId: string | null;
  eventId: string;
  type: string;
  deliveryStatus: DeliverySummary['status'];
  deliveryCreatedAt: string;
  deliverySentAt: string | null;
  deliveryResponseStatus: number | null;
  deliveryError: string | null;
}

// One look into two indexes for each endpoint, of which a workspace has at most a hundred.
const list = `select ${endpointColumns}, l.* from webhook_endpoints e left join lateral (
    select d.id as "deliveryId", d.event_id as "eventId", d.type, d.status as "deliveryStatus",
      d.created_at as "deliveryCreatedAt", a.sent_at as "deliverySentAt", a.status as "deliveryResponseStatus",
      a.error as "deliveryError"
    from webhook_deliveries d left join lateral (
      select x.sent_at, x.status, x.error from webhook_attempts x
      where x.workspace_id = $1 and x.delivery_id = d.id order by x.id desc limit 1
    ) a on true
    where d.workspace_id = $1 and d.endpoint_id = e.id order by d.created_at desc, d.id desc limit 1
  ) l on true
  where e.workspace_id = $1 and e.subscription is null and e.expires_at is null order by e.created_at desc, e.id desc`;

function listedOf(row: EndpointRow & LastDelivery, isVisible: boolean): EndpointListed {
  const { deliveryId, eventId: _, type, deliveryStatus, deliveryCreatedAt, ...rest } = row;
  const { deliverySentAt, deliveryResponseStatus, deliveryError, ...endpoint } = rest;
  const lastDelivery: DeliverySummary | null =
    deliveryId === null || !isVisible
      ? null
      : {
          object: 'webhook_delivery_summary',
          id: deliveryId,
          type,
          status: deliveryStatus,
          createdAt: deliveryCreatedAt,
          sentAt: deliverySentAt,
          responseStatus: deliveryResponseStatus,
          error: deliveryError,
        };
  return { ...endpointOf(endpoint), lastDelivery };
}

/** The endpoints of the workspace whose events the credential may read, newest first, each with its newest delivery. */
export async function listEndpoints(ctx: Context) {
  const { db, principal } = ctx;
  const rows = await db.rows<EndpointRow & LastDelivery>(list, [principal.workspaceId]);
  const isVisible = await visibilityOf(
    ctx,
    rows.filter(({ deliveryId }) => deliveryId !== null),
  );
  const endpoints = rows.filter(({ types }) => mayReadTypes(principal, types));
  return wholeList(endpoints.map((row) => listedOf(row, row.deliveryId !== null && isVisible(row, row.userId))));
}
