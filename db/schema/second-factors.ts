import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from './columns.ts';

/*
 * Second factors belong to a person, in all workspaces: these are no tenant tables. As in `members`, `user_id` has no
 * foreign key.
 */

/**
 * The secret of a person's authenticator app, encrypted. `last_step` is the time step of the last code that was used.
 */
export const totpSecrets = pgTable('totp_secrets', {
  userId: uuid('user_id').primaryKey(),
  secret: bytes('secret').notNull(),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  confirmedAt: instant('confirmed_at'),
  lastStep: integer('last_step'),
});

/** One-use codes for when the other factors are lost. They have 120 random bits: only their SHA-256 is kept. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid('user_id').notNull(),
    codeHash: bytes('code_hash').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    usedAt: instant('used_at'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/**
 * A WebAuthn credential of a person. `sign_count` is the highest signature counter that was seen; 0 where there is
 * none.
 */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    credentialId: bytes('credential_id').notNull(),
    publicKey: bytes('public_key').notNull(),
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    isSynced: boolean('is_synced').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [
    uniqueIndex('passkeys_credential').on(table.credentialId),
    index('passkeys_user').on(table.userId, table.createdAt),
  ],
);

/** A WebAuthn challenge that nobody has answered yet. The hash covers what it was issued for. */
export const webauthnChallenges = pgTable(
  'webauthn_challenges',
  {
    challengeHash: bytes('challenge_hash').primaryKey(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('webauthn_challenges_age').on(table.expiresAt)],
);

/**
 * A sign-in with the right password that waits for its second factor; deleted when it is completed. It ends with the
 * password: `password_digest` is the SHA-256 of the stored hash that was checked.
 */
export const signInChallenges = pgTable(
  'sign_in_challenges',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    passwordDigest: bytes('password_digest').notNull(),
    /** The workspace that the sign-in named. */
    opens: uuid('opens'),
    failures: integer('failures').notNull().default(0),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('sign_in_challenges_age').on(table.expiresAt)],
);

/** When the person of a session last proved who they are. */
export const recentAuthentications = pgTable(
  'recent_authentications',
  {
    credentialId: uuid('credential_id').primaryKey(),
    authenticatedAt: instant('authenticated_at').notNull(),
  },
  (table) => [index('recent_authentications_age').on(table.authenticatedAt)],
);
