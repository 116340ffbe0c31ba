import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { visibilityOf } from './readers.ts';
import {
  attemptsOf,
  type DeliveryRow,
  deliveryColumns,
  deliveryOf,
  type EndpointRow,
  findEndpoint,
  withLastAttempts,
} from './rows.ts';
import type { DeliveryAnswer, DeliveryQuery, Redelivery } from './shapes.ts';
import { wakeEndpoint, wakeFanOut } from './wake.ts';

/** The type of a test, which is no event of the log. */
export const testType = 'webhook.test';
const shownAttempts = 50;

/** A delivery, and the endpoint that it must be of. */
interface DeliveryRef {
  endpointId: string;
  deliveryId: string;
}

const one = `select ${deliveryColumns} from webhook_deliveries d
  where d.workspace_id = $1 and d.endpoint_id = $2 and d.id = $3`;
const again = `update webhook_deliveries d set status = 'pending', tries = 0, due_at = now(), ended_at = null
  where d.workspace_id = $1 and d.endpoint_id = $2 and d.id = $3 returning ${deliveryColumns}`;
const insertTest = `insert into webhook_deliveries as d (workspace_id, id, endpoint_id, event_id, type, due_at)
  values ($1, $2, $3, $4, '${testType}', now()) returning ${deliveryColumns}`;
const firstSince = `select min(sequence) as first from events where workspace_id = $1 and occurred_at >= $2::timestamptz`;
// The range ends with the log: where an earlier call is in progress, the position of the endpoint is before what it
// sends.
const goBack = `update webhook_endpoints set sequence = least(sequence, $3::bigint - 1), resend_to = case
      when $4 then $5::bigint when resend_to > sequence then resend_to else 0 end
  where workspace_id = $1 and id = $2 returning sequence`;
const lastOfLog = 'select latest from event_positions where workspace_id = $1';

/**
 * A page of the deliveries of an endpoint, newest first, each with its last attempt. It is shorter where some are of
 * events that the caller may not read. @throws Failure 400, 403, 404.
 */
export async function listDeliveries(ctx: Context, { endpointId, status, limit, cursor }: DeliveryQuery) {
  const { workspaceId } = ctx.principal;
  const endpoint = await findEndpoint(ctx, endpointId);
  const scope = cursorScope(ctx, { sort: 'createdAt', order: 'desc', filters: { endpointId: endpoint.id, status } });
  const bindings = new Bindings();
  const where = [`d.workspace_id = ${bindings.bind(workspaceId)}`, `d.endpoint_id = ${bindings.bind(endpoint.id)}`];
  if (status !== undefined) where.push(`d.status = ${bindings.bind(status)}`);
  if (cursor !== undefined) {
    const [createdAt, id] = positionOf(scope, cursor);
    where.push(`(d.created_at, d.id) < (${bindings.bind(createdAt)}::timestamptz, ${bindings.bind(id)})`);
  }
  const text = `select ${deliveryColumns} from webhook_deliveries d where ${where.join(' and ')}
    order by d.created_at desc, d.id desc limit ${bindings.bind(limit + 1)}`;
  const rows = await ctx.db.rows<DeliveryRow>(text, bindings.values);
  const page = pageOf(rows, limit, scope, (row) => [row.createdAt, row.id]);
  const isVisible = await visibilityOf(ctx, page.data);
  const visible = page.data.filter((row) => isVisible(row, endpoint.userId));
  return { object: 'list' as const, ...page, data: await withLastAttempts(ctx.db, workspaceId, visible) };
}

/** @throws Failure 404 when there is no such delivery, or the caller may not read its event. */
async function requireVisible(ctx: Context, row: DeliveryRow | undefined, { userId }: EndpointRow) {
  if (row && (await visibilityOf(ctx, [row]))(row, userId)) return row;
  throw notFound('delivery', 'deliveryId');
}

/** A delivery with its attempts, the oldest first. @throws Failure 403, 404. */
export async function getDelivery(ctx: Context, { endpointId, deliveryId }: DeliveryRef) {
  const { workspaceId } = ctx.principal;
  const endpoint = await findEndpoint(ctx, endpointId);
  const [found] = await ctx.db.rows<DeliveryRow>(one, [workspaceId, endpointId, deliveryId]);
  const row = await requireVisible(ctx, found, endpoint);
  const attempts = await attemptsOf(ctx.db, workspaceId, [row.id], shownAttempts);
  return { ...deliveryOf(row), attempts: (attempts.get(row.id) ?? []).reverse() };
}

/** The endpoint, held until the transaction ends. @throws Failure 409 while it is disabled. */
async function holdEnabled(ctx: Context, tx: Db, endpointId: string) {
  const endpoint = await findEndpoint({ ...ctx, db: tx }, endpointId, true);
  if (endpoint.enabled) return endpoint;
  throw conflict('This endpoint is disabled, so nothing is sent to it. Enable it first.', { reason: 'disabled' });
}

/** Has a delivery tried now, with the number of its tries. */
async function sendNow(tx: Db, workspaceId: string, endpointId: string, row: DeliveryRow): Promise<DeliveryAnswer> {
  await wakeEndpoint(tx, workspaceId, endpointId, true);
  const [delivery] = await withLastAttempts(tx, workspaceId, [row]);
  if (!delivery) throw new Error('a row has no answer');
  return delivery;
}

/**
 * Sends the event of a delivery again, whatever became of it, with the same `webhook-id`. @throws Failure 403, 404,
 * 409.
 */
export function redeliver(ctx: Context, { endpointId, deliveryId }: DeliveryRef): Promise<DeliveryAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const endpoint = await holdEnabled(ctx, tx, endpointId);
    const [found] = await tx.rows<DeliveryRow>(again, [workspaceId, endpoint.id, deliveryId]);
    const row = await requireVisible({ ...ctx, db: tx }, found, endpoint);
    return sendNow(tx, workspaceId, endpoint.id, row);
  });
}

/** Sends a test, which is no event of the log. @throws Failure 403, 404, 409. */
export function testEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<DeliveryAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const endpoint = await holdEnabled(ctx, tx, endpointId);
    const [row] = await tx.rows<DeliveryRow>(insertTest, [workspaceId, newId(), endpoint.id, newId()]);
    if (!row) throw new Error('the insert of a delivery returned no row');
    return sendNow(tx, workspaceId, endpoint.id, row);
  });
}

/**
 * Sends the events since a time again that the endpoint asks for and that were not delivered, also those from while it
 * was disabled: its position in the log goes back. @throws Failure 403, 404, 409.
 */
export function redeliverSince(ctx: Context, { endpointId, since, includeDelivered }: Redelivery) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const endpoint = await holdEnabled(ctx, tx, endpointId);
    const [found] = await tx.rows<{ first: string | null }>(firstSince, [workspaceId, since]);
    const [log] = await tx.rows<{ latest: string }>(lastOfLog, [workspaceId]);
    const toSequence = Number(log?.latest ?? 0);
    const fromSequence = found?.first == null || Number(found.first) > toSequence ? null : Number(found.first);
    if (fromSequence !== null) {
      await tx.rows(goBack, [workspaceId, endpoint.id, fromSequence, includeDelivered, toSequence]);
      await wakeEndpoint(tx, workspaceId, endpoint.id, true);
      wakeFanOut(tx, workspaceId);
    }
    return { object: 'webhook_redelivery' as const, id: endpoint.id, fromSequence, toSequence };
  });
}
