import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { workspaces } from './workspaces.ts';

/** A way to set a new password, mailed to the account's address or printed for the operator; used once. */
export const passwordResets = pgTable(
  'password_resets',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
    /**
     * Whether its use proves that the person reads what is sent to the address: not that of a link from the operator.
     */
    provesAddress: boolean('proves_address').notNull().default(true),
  },
  (table) => [index('password_resets_user').on(table.userId)],
);

/** The link with which a person takes the first workspace; a new one replaces it, and its use deletes it. */
export const welcomeLinks = pgTable('welcome_links', {
  userId: uuid('user_id').primaryKey(),
  tokenHash: bytes('token_hash').notNull(),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  expiresAt: instant('expires_at').notNull(),
});

/** A way to prove that a person reads what is sent to an address, mailed to it. It verifies that address only. */
export const emailVerifications = pgTable(
  'email_verifications',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    email: text('email').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [index('email_verifications_user').on(table.userId)],
);

/**
 * Failed sign-ins of one account from one address in the current window. An address that the account signed in from
 * is trusted: failures elsewhere do not count against it, so that nobody can lock a person out.
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    account: bytes('account').notNull(),
    address: bytes('address').notNull(),
    failures: integer('failures').notNull(),
    windowStart: instant('window_start').notNull(),
    trustedAt: instant('trusted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.address] }),
    index('sign_in_attempts_address').on(table.address, table.windowStart),
    index('sign_in_attempts_age').on(table.windowStart),
  ],
);

/**
 * An invitation into a workspace, mailed; accepted once with its token, by the account of its address or by anyone. A
 * release that does not know the difference makes invitations for anyone: hence the default.
 */
export const invitations = pgTable(
  'invitations',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    email: text('email').notNull(),
    anyoneWithLink: boolean('anyone_with_link').notNull().default(true),
    role: text('role', { enum: ['owner', 'member'] }).notNull(),
    tokenHash: bytes('token_hash').notNull(),
    invitedBy: uuid('invited_by').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at').notNull(),
    acceptedAt: instant('accepted_at'),
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'invitations_workspace_fk',
      columns: [table.workspaceId],
      foreignColumns: [workspaces.id],
    }),
    index('invitations_token').on(table.tokenHash),
  ],
);
