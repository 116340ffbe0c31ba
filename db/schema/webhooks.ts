import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { members } from './workspaces.ts';

/** Why the service switched an endpoint off: it answered 410, failed for five days, or its owner may no longer read. */
export const disabledReasons = ['gone', 'failing', 'rights_ended'] as const;
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/**
 * An address that gets the events of a workspace. It may get what its owner may read: the person `user_id`, by the API
 * key `credential_id` if there is one. `sequence`: the events up to it have their deliveries. The row is also the work
 * of its deliveries: `due_at` is when the next one is to be sent (null: none waits), `attempt` the fence of the worker
 * that `is_leased` names. A subscription of a client of MCP is such a row too; its owner is `connected_app_id` or
 * `credential_id`.
 */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    credentialId: uuid('credential_id'),
    /** The connected app whose client subscribed. */
    connectedAppId: uuid('connected_app_id'),
    url: text('url').notNull(),
    description: text('description'),
    /** Types of events, or `*`. */
    types: text('types').array().notNull(),
    enabled: boolean('enabled').notNull(),
    ordered: boolean('ordered').notNull(),
    disabledReason: text('disabled_reason', { enum: disabledReasons }),
    disabledAt: instant('disabled_at'),
    /** Encrypted; the previous one signs too until it expires. */
    secret: bytes('secret').notNull(),
    previousSecret: bytes('previous_secret'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    /** Events up to this one are sent again although they were delivered. */
    resendTo: bigint('resend_to', { mode: 'number' }).notNull().default(0),
    /** The first failure since the last success, and how many there were. */
    failingSince: instant('failing_since'),
    failures: integer('failures').notNull().default(0),
    /** Nothing is sent before it, after failures in a row. */
    pausedUntil: instant('paused_until'),
    dueAt: instant('due_at'),
    /** Of a subscription over MCP: which events of its one type it wants. Null: an endpoint that people manage. */
    subscription: jsonb('subscription').$type<{ resourceId?: string; parentId?: string; actorId?: string }>(),
    /** When a subscription ends that is not refreshed; when an endpoint was deleted. */
    expiresAt: instant('expires_at'),
    isLeased: boolean('is_leased').notNull().default(false),
    attempt: integer('attempt').notNull().default(0),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'webhook_endpoints_member_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    index('webhook_endpoints_due').on(table.workspaceId, table.dueAt).where(sql`due_at is not null`),
  ],
);

/**
 * An event on its way to an endpoint, once for each event. `sequence` is null for a test, which has no event. `tries`
 * and `due_at` start again when it is sent again.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    eventId: uuid('event_id').notNull(),
    sequence: bigint('sequence', { mode: 'number' }),
    type: text('type').notNull(),
    status: text('status', { enum: deliveryStatuses }).notNull().default('pending'),
    tries: integer('tries').notNull().default(0),
    dueAt: instant('due_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    endedAt: instant('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'webhook_deliveries_endpoint_fk',
      columns: [table.workspaceId, table.endpointId],
      foreignColumns: [webhookEndpoints.workspaceId, webhookEndpoints.id],
    }).onDelete('cascade'),
    uniqueIndex('webhook_deliveries_event').on(table.workspaceId, table.endpointId, table.eventId),
    index('webhook_deliveries_created').on(table.workspaceId, table.endpointId, table.createdAt, table.id),
    index('webhook_deliveries_due').on(table.workspaceId, table.endpointId, table.dueAt).where(sql`status = 'pending'`),
    // What an ordered endpoint gets next.
    index('webhook_deliveries_next')
      .on(table.workspaceId, table.endpointId, table.sequence)
      .where(sql`status = 'pending'`),
    // What is old lies together, as rows are only added: a small index finds it for the sweep.
    index('webhook_deliveries_age').using('brin', table.createdAt),
  ],
);

/** A request that was sent, or could not be: its heads and the beginning of the answer. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    workspaceId: workspaceId(),
    deliveryId: uuid('delivery_id').notNull(),
    id: uuid('id').notNull(),
    url: text('url').notNull(),
    requestHeaders: jsonb('request_headers').$type<Record<string, string>>().notNull(),
    requestBody: text('request_body').notNull(),
    /** Null: there was no answer, for the reason `error`. */
    status: integer('status'),
    responseHeaders: jsonb('response_headers').$type<Record<string, string>>(),
    responseBody: text('response_body'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    sentAt: instant('sent_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.deliveryId, table.id] }),
    foreignKey({
      name: 'webhook_attempts_delivery_fk',
      columns: [table.workspaceId, table.deliveryId],
      foreignColumns: [webhookDeliveries.workspaceId, webhookDeliveries.id],
    }).onDelete('cascade'),
  ],
);
