import { sql } from 'drizzle-orm';
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { connectedApps } from './oauth.ts';
import { members } from './workspaces.ts';

/**
 * Every bearer secret as one row, found by its SHA-256. Only the hash is kept. An OAuth access token belongs to a
 * connected app.
 */
export const credentials = pgTable(
  'credentials',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    kind: text('kind', { enum: ['api_key', 'session', 'oauth'] }).notNull(),
    secretHash: bytes('secret_hash').notNull(),
    userId: uuid('user_id').notNull(),
    connectedAppId: uuid('connected_app_id'),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    last4: text('last4').notNull(),
    scopes: text('scopes').array().notNull(),
    rateLimitPerMinute: integer('rate_limit_per_minute').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    lastUsedAt: instant('last_used_at'),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'credentials_member_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    foreignKey({
      name: 'credentials_connected_app_fk',
      columns: [table.workspaceId, table.connectedAppId],
      foreignColumns: [connectedApps.workspaceId, connectedApps.id],
    }),
    index('credentials_secret').on(table.secretHash),
    index('credentials_connected_app')
      .on(table.workspaceId, table.connectedAppId)
      .where(sql`connected_app_id is not null`),
    index('credentials_oauth_expiry').on(table.expiresAt).where(sql`kind = 'oauth'`),
    index('credentials_user').on(table.userId),
  ],
);

/**
 * The request count of one caller in the current minute. UNLOGGED (see the first migration): a crash of the database
 * may forget a minute's counts, never a credential. `used_before` is what the last statement found, so that it
 * can compute how much of what it asked for was granted.
 */
export const rateWindows = pgTable('rate_windows', {
  bucket: bytes('bucket').primaryKey(),
  windowStart: instant('window_start').notNull(),
  quota: integer('quota').notNull(),
  used: integer('used').notNull(),
  usedBefore: integer('used_before').notNull(),
});

/** A request's answer kept for its `Idempotency-Key`, committed together with what the request made. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    workspaceId: workspaceId(),
    /** The API key or session, or the connection of an app, whose access tokens last an hour. */
    credentialId: uuid('credential_id').notNull(),
    operation: text('operation').notNull(),
    path: text('path').notNull(),
    key: text('key').notNull(),
    fingerprint: bytes('fingerprint').notNull(),
    answer: text('answer'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({
      name: 'idempotency_keys_pk',
      columns: [table.workspaceId, table.credentialId, table.operation, table.path, table.key],
    }),
    index('idempotency_keys_age').on(table.createdAt),
  ],
);

/** Secrets that all processes of one service share, such as the key that signs cursors. */
export const serviceSecrets = pgTable('service_secrets', {
  name: text('name').primaryKey(),
  value: bytes('value').notNull(),
});

/**
 * When each kind of periodic work that one process does for all last began. `swept_until`: what is older than that has
 * been worked through, for work that need not read it again.
 */
export const sweeps = pgTable('sweeps', {
  name: text('name').primaryKey(),
  begunAt: instant('begun_at').notNull().default(sql`now()`),
  sweptUntil: instant('swept_until'),
});

/**
 * A number for each process that reads from a standby, written again and again: a standby has everything that was
 * committed before the number that it shows was sent (`db/standby/`).
 */
export const heartbeats = pgTable('heartbeats', {
  id: uuid('id').primaryKey(),
  beat: bigint('beat', { mode: 'number' }).notNull(),
  beatAt: instant('beat_at').notNull().default(sql`now()`),
});
