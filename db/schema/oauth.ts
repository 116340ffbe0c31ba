import { sql } from 'drizzle-orm';
import { foreignKey, index, json, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { members } from './workspaces.ts';

/**
 * A grant: what one person allowed one OAuth client to do in one workspace. `connected_at` is when the client got its
 * first token; until then nobody sees it, and a sweep deletes it. `expires_at` moves with every refresh.
 */
export const connectedApps = pgTable(
  'connected_apps',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    clientId: text('client_id').notNull(),
    clientName: text('client_name').notNull(),
    clientUri: text('client_uri'),
    logoUri: text('logo_uri'),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    connectedAt: instant('connected_at'),
    lastUsedAt: instant('last_used_at'),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'connected_apps_member_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    index('connected_apps_created').on(table.workspaceId, table.createdAt, table.id),
    index('connected_apps_client').on(table.clientId),
    index('connected_apps_unredeemed').on(table.createdAt).where(sql`connected_at is null`),
  ],
);

/**
 * What the OAuth server keeps between two requests: registered clients, authorization requests under way, codes and
 * refresh tokens, each found by the SHA-256 of its id. `grant_id` is `<workspace>.<connected app>`.
 */
export const oauthArtifacts = pgTable(
  'oauth_artifacts',
  {
    hash: bytes('hash').primaryKey(),
    model: text('model').notNull(),
    grantId: text('grant_id'),
    payload: json('payload').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at'),
    consumedAt: instant('consumed_at'),
  },
  (table) => [
    index('oauth_artifacts_grant').on(table.grantId).where(sql`grant_id is not null`),
    index('oauth_artifacts_expiry').on(table.expiresAt),
    index('oauth_artifacts_clients').on(table.createdAt).where(sql`model = 'Client'`),
  ],
);
