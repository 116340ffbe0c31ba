import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { requireValidCredential } from '../accounts/membership.ts';
import { lockAccess, revokeKeysAndApps } from '../accounts/revoke-access.ts';
import { revokeSessions } from '../accounts/sessions.ts';
import type { Context, RequestContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { actingAs } from '../events/record.ts';
import type { Email } from '../mail.ts';
import type { NotifyContext } from '../notifications/notify.ts';
import { queueSecurityNotice } from '../notifications/security-notice.ts';
import { disableEndpointsOf } from '../webhooks/disable.ts';
import { requireUncommonPassword } from './common-passwords.ts';
import { newPasswordHash } from './hashing.ts';
import type { PasswordChange, PasswordResetConfirm } from './shapes.ts';
import { requirePassword } from './sign-in.ts';

const linkMinutes = 60;
const maxResetsPerHour = 5;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The lock makes the count of emails exact however many requests come at once. */
const lockPerson = 'select 1 from users where lower(email) = lower($1) for no key update';
const insert = `insert into password_resets (token_hash, user_id, expires_at)
  select $1, id, now() + interval '${linkMinutes} minutes' from users where lower(email) = lower($2)
    and (select count(*) from password_resets r where r.user_id = users.id and r.proves_address and r.created_at between now() - interval '1 hour' and now() + interval '1 minute') < ${maxResetsPerHour}
  returning user_id`;
const insertForOperator = `insert into password_resets (token_hash, user_id, expires_at, proves_address)
  select $1, id, now() + interval '${linkMinutes} minutes', false from users where lower(email) = lower($2)
  returning expires_at as "expiresAt"`;
const valid =
  'select user_id as "userId" from password_resets where token_hash = $1 and used_at is null and expires_at > now()';
const use = `update password_resets set used_at = now()
  where token_hash = $1 and used_at is null and expires_at > now()
  returning user_id as "userId", proves_address as "provesAddress"`;
const spend = 'update password_resets set used_at = now() where user_id = $1 and used_at is null';
const known = 'select name, email from users where id = $1';
const verify = 'update users set email_verified_at = coalesce(email_verified_at, now()) where id = $1';
const set = 'update users set password_hash = $2 where id = $1';

const resetLink = (publicUrl: string, token: string) => `${publicUrl}/reset-password#token=${token}`;

/**
 * A link to set a new password, for the operator to hand over; null when no account has this address. It does not
 * confirm the address, and is not counted with the emails of the hour.
 */
export async function operatorResetLink(
  db: Db,
  email: string,
  publicUrl: string,
): Promise<{ link: string; expiresAt: string } | null> {
  const token = randomBytes(32).toString('base64url');
  const [made] = await db.rows<{ expiresAt: string }>(insertForOperator, [sha256(token), email]);
  return made ? { link: resetLink(publicUrl, token), expiresAt: made.expiresAt } : null;
}

/** The email with a link to set a new password; null when no account has this address, or it got five this hour. */
export async function passwordResetEmail(db: Db, email: string, publicUrl: string): Promise<Email | null> {
  const token = randomBytes(32).toString('base64url');
  const rows = await db.transaction(async (tx) => {
    await tx.rows(lockPerson, [email]);
    return tx.rows(insert, [sha256(token), email]);
  });
  if (rows.length === 0) return null;
  const text = `A password reset was requested for your Tandem account.

To choose a new one, open this link within ${linkMinutes} minutes:
${resetLink(publicUrl, token)}

If it was not you, ignore this email: your password is not changed.
`;
  return { kind: 'password_reset', to: email, subject: 'Reset your Tandem password', text };
}

interface NewPasswordOf {
  userId: string;
  passwordHash: string;
  /** The session that continues; null when all end. */
  exceptId: string | null;
  /** Whether the API keys and connected apps end too. */
  revokeAccess: boolean;
}

/**
 * Sets the password of a person, and ends their sessions and, if asked, keys, apps and the webhooks made in sessions.
 * `ctx.db` is a transaction.
 */
async function setPassword(
  ctx: NotifyContext,
  { userId, passwordHash, exceptId, revokeAccess }: NewPasswordOf,
): Promise<void> {
  const { db } = ctx;
  await db.rows(set, [userId, passwordHash]);
  const workspaceIds = await lockAccess(db, userId);
  await db.rows(spend, [userId]);
  await revokeSessions(db, userId, exceptId);
  if (!revokeAccess) return;
  await revokeKeysAndApps(db, userId, workspaceIds);
  await disableEndpointsOf(ctx, userId, workspaceIds);
}

const passwordSet = (accessRevoked: boolean) =>
  ({ object: 'password_set', sessionsEnded: true, accessRevoked }) as const;
const whatEnded = (revokeAccess: boolean) =>
  revokeAccess
    ? 'The sessions, API keys and connected apps of your account were ended.'
    : 'The sessions of your account were ended. Its API keys and connected apps stay valid.';

/**
 * Changes the password of the person, who is notified by email; all other sessions end, and keys and apps if asked.
 * @throws Failure 400 for a wrong `currentPassword` or a common new one, 401 when the session was ended meanwhile, 429.
 */
export async function changePassword(ctx: Context, { currentPassword, newPassword, revokeAccess }: PasswordChange) {
  const { userId, credentialId: exceptId, workspaceId } = ctx.principal;
  await requirePassword(ctx, userId, currentPassword);
  await requireUncommon(ctx, userId, newPassword);
  const passwordHash = await newPasswordHash(ctx, newPassword);
  await ctx.db.transaction(async (db) => {
    await setPassword({ ...ctx, db }, { userId, passwordHash, exceptId, revokeAccess });
    await requireValidCredential(db, ctx.principal);
    const notice = { title: 'Your password was changed', text: whatEnded(revokeAccess) };
    await queueSecurityNotice({ ...ctx, db }, { userId, workspaceId, ...notice });
  });
  return passwordSet(revokeAccess);
}

/**
 * Queues the email that resets a password. Returns before the address is looked up, so that neither the answer nor its
 * time shows whether an account exists.
 */
export function requestPasswordReset({ db, mail, service }: RequestContext, { email: address }: { email: string }) {
  void passwordResetEmail(db, address, service.publicUrl).then(
    (email) => email && mail.post(email),
    (error: unknown) => mail.failed(error),
  );
  return { object: 'password_reset_requested' as const, email: address, sendsEmail: mail.sends };
}

/**
 * Refuses a password that is common, or derived from what is known of the person.
 * @throws Failure 400 `newPassword`.
 */
async function requireUncommon(ctx: RequestContext, userId: string, password: string): Promise<void> {
  const [person] = await ctx.db.rows<{ name: string; email: string }>(known, [userId]);
  requireUncommonPassword('newPassword', password, { ...person, publicUrl: ctx.service.publicUrl });
}

/**
 * Sets a new password by the token of an email, once. Every session ends; API keys and connected apps too, unless they
 * are to stay. The link of an email verifies the address too. @throws Failure 400 for a spent token or a common
 * password, 429.
 */
export async function confirmPasswordReset(
  ctx: RequestContext,
  { token, newPassword, revokeAccess }: PasswordResetConfirm,
) {
  const spent = () => invalid('token', 'This link was used or has expired. Request a new one.');
  const [found] = await ctx.db.rows<{ userId: string }>(valid, [sha256(token)]);
  if (!found) throw spent();
  await requireUncommon(ctx, found.userId, newPassword);
  // No connection is held while the hash waits for its turn.
  const passwordHash = await newPasswordHash(ctx, newPassword);
  await ctx.db.transaction(async (db) => {
    const [reset] = await db.rows<{ userId: string; provesAddress: boolean }>(use, [sha256(token)]);
    if (!reset) throw spent();
    const { userId } = reset;
    const changed = { userId, passwordHash, exceptId: null, revokeAccess };
    await actingAs(db, userId, (theirs) => setPassword({ ...ctx, db: theirs }, changed));
    if (reset.provesAddress) await db.rows(verify, [userId]);
    const notice = { title: 'Your password was reset', text: whatEnded(revokeAccess) };
    await queueSecurityNotice({ ...ctx, db }, { userId, ...notice });
  });
  return passwordSet(revokeAccess);
}
