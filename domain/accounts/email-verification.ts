import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { Context, RequestContext, ServiceSettings } from '../context.ts';
import { Failure, invalid } from '../errors.ts';
import { actingAs } from '../events/record.ts';
import type { Email } from '../mail.ts';
import { queueSecurityNotice } from '../notifications/security-notice.ts';
import type { EmailVerificationAnswer } from './shapes.ts';

const linkHours = 24;
const maxEmailsPerHour = 5;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const insert = `insert into email_verifications (token_hash, user_id, email, expires_at)
  select $1, id, email, now() + interval '${linkHours} hours' from users where id = $2 returning email`;
const addressOf = 'select email, email_verified_at as "verifiedAt" from users where id = $1';
/** The lock makes the count of emails exact however many requests come at once. */
const lockAddress = `${addressOf} for no key update`;
const recent = `select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as seconds
  from email_verifications where user_id = $1 and created_at between now() - interval '1 hour' and now() + interval '1 minute'`;
const lockOfToken = `select u.id as "userId", u.email, u.email_verified_at as "verifiedAt"
  from email_verifications v join users u on u.id = v.user_id and lower(u.email) = lower(v.email)
  where v.token_hash = $1 and v.expires_at > now() and (v.used_at is null or u.email_verified_at is not null)
  for no key update of u`;
const use = 'update email_verifications set used_at = now() where user_id = $1 and used_at is null';
const verify = 'update users set email_verified_at = now() where id = $1 and email_verified_at is null returning 1';

interface Address {
  email: string;
  verifiedAt: string | null;
}

/** The email with a link that verifies the address of a person. Its token is stored as a hash. */
export async function verificationEmail(db: Db, userId: string, publicUrl: string): Promise<Email> {
  const token = randomBytes(32).toString('base64url');
  const [row] = await db.rows<{ email: string }>(insert, [sha256(token), userId]);
  if (!row) throw new Error('A verification of nobody');
  const text = `A Tandem account was created with this email address, probably by you.

To confirm that the address is yours, open this link within ${linkHours} hours:
${publicUrl}/verify#token=${token}

If it was not you, do not open the link, and ignore this email.
`;
  return { kind: 'email_verification', to: row.email, subject: 'Confirm your email address for Tandem', text };
}

/** Marks the address of a person as theirs, and notifies them the first time. `ctx.db` is a transaction. */
async function setVerified(ctx: Pick<RequestContext, 'db' | 'clock' | 'mail'>, userId: string): Promise<void> {
  await ctx.db.rows(use, [userId]);
  const verified = await ctx.db.rows(verify, [userId]);
  if (verified.length === 0) return;
  const text = 'You can now create API keys, connect apps and invite people with this account.';
  await queueSecurityNotice(ctx, { userId, title: 'Your email address is confirmed', text });
}

const answerOf = ({ email, verifiedAt }: Address, { requireVerifiedEmail }: ServiceSettings) =>
  ({ object: 'email_verification', email, verifiedAt, isRequired: requireVerifiedEmail }) as const;

/** The address of the person, whether it is verified, and whether it has to be. */
export async function getEmailVerification({ db, principal, service }: Context): Promise<EmailVerificationAnswer> {
  const [address] = await db.rows<Address>(addressOf, [principal.userId]);
  if (!address) throw new Error('A session of nobody');
  return answerOf(address, service);
}

/** Sends the email with the link again, unless the address is verified. @throws Failure 429 after five in an hour. */
export async function resendVerification(ctx: Context): Promise<EmailVerificationAnswer> {
  const { userId } = ctx.principal;
  const { address, email } = await ctx.db.transaction(async (tx) => {
    const [address] = await tx.rows<Address>(lockAddress, [userId]);
    if (!address) throw new Error('A session of nobody');
    if (address.verifiedAt !== null) return { address, email: null };
    const [sent] = await tx.rows<{ count: number; seconds: number | null }>(recent, [userId]);
    if (sent && sent.count >= maxEmailsPerHour) throw tooManyEmails(Math.max(1, sent.seconds ?? 1));
    return { address, email: await verificationEmail(tx, userId, ctx.service.publicUrl) };
  });
  if (email) ctx.mail.post(email);
  return answerOf(address, ctx.service);
}

function tooManyEmails(retryAfterSeconds: number): Failure {
  const message = `We sent ${maxEmailsPerHour} emails in the last hour. Look for them, also in the spam folder, or try again in ${Math.ceil(retryAfterSeconds / 60)} min.`;
  const reason = 'verification_emails';
  return new Failure({ status: 429, code: 'rate_limit_exceeded', message, reason, retryAfterSeconds });
}

/**
 * Verifies an address by the token of its email. A link that did so answers the same again until it expires, and
 * changes nothing. @throws Failure 400 for any other token.
 */
export function verifyEmail(ctx: RequestContext, { token }: { token: string }) {
  return ctx.db.transaction(async (db) => {
    const [found] = await db.rows<Address & { userId: string }>(lockOfToken, [sha256(token)]);
    if (!found) throw invalid('token', 'This link was used or has expired. Sign in and request a new one.');
    await actingAs(db, found.userId, (theirs) => setVerified({ ...ctx, db: theirs }, found.userId));
    return { object: 'email_verified' as const, email: found.email };
  });
}

/**
 * Checks that the address of a person is verified, where the service requires it. Called before access is handed out:
 * by keys, apps and invitations. @throws Failure 403 `missing_scope`, reason `email_not_verified`.
 */
export async function requireVerifiedEmail(
  db: Db,
  service: Pick<ServiceSettings, 'requireVerifiedEmail'>,
  userId: string,
): Promise<void> {
  if (!service.requireVerifiedEmail) return;
  const [address] = await db.rows<Address>(addressOf, [userId]);
  if (address && address.verifiedAt !== null) return;
  const message =
    'Confirm your email address first, with the link that was sent to it. You can request a new link in the settings.';
  throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'email_not_verified' });
}
