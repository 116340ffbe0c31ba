import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { notifications } from './notifications.ts';
import { members } from './workspaces.ts';

/**
 * A browser in which a person gets notifications of a workspace. `destination`: its endpoint and keys, encrypted.
 * `credential_id`: the session that it belongs to; when a person ends that, the row is deleted, and when it ends by
 * itself, the row stays.
 */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    credentialId: uuid('credential_id').notNull(),
    endpointHash: bytes('endpoint_hash').notNull(),
    destination: bytes('destination').notNull(),
    pushService: text('push_service').notNull(),
    client: text('client').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'push_subscriptions_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    uniqueIndex('push_subscriptions_endpoint').on(table.workspaceId, table.endpointHash),
    index('push_subscriptions_person').on(table.workspaceId, table.userId, table.createdAt),
    index('push_subscriptions_user').on(table.userId),
    index('push_subscriptions_browser').on(table.endpointHash),
  ],
);

/** A notification that is to be sent to a browser; deleted once it was, or when that failed for good. */
export const pushDeliveries = pgTable(
  'push_deliveries',
  {
    workspaceId: workspaceId(),
    notificationId: uuid('notification_id').notNull(),
    subscriptionId: uuid('subscription_id').notNull(),
    attempt: integer('attempt').notNull().default(0),
    dueAt: instant('due_at').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({
      name: 'push_deliveries_pk',
      columns: [table.workspaceId, table.notificationId, table.subscriptionId],
    }),
    foreignKey({
      name: 'push_deliveries_notification_fk',
      columns: [table.workspaceId, table.notificationId],
      foreignColumns: [notifications.workspaceId, notifications.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'push_deliveries_subscription_fk',
      columns: [table.workspaceId, table.subscriptionId],
      foreignColumns: [pushSubscriptions.workspaceId, pushSubscriptions.id],
    }).onDelete('cascade'),
    index('push_deliveries_due').on(table.workspaceId, table.dueAt),
    index('push_deliveries_subscription').on(table.workspaceId, table.subscriptionId),
  ],
);
