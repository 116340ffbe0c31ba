import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Db } from '../../db/client.ts';
import type { Context, RequestContext } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import { decrypt, encrypt } from './encryption.ts';
import { endCodesOfNone, holdOwnFactors } from './factors.ts';
import { queueFactorNotice } from './notices.ts';
import { requireRecentAuthentication } from './recent-authentication.ts';
import { firstRecoveryCodes } from './recovery-codes.ts';
import type { TotpEnrolmentAnswer } from './shapes.ts';

/**
 * RFC 6238, as authenticator apps support it: SHA-1, 6 digits, 30 s; a code of the step before or after is accepted.
 */
const shape = { algorithm: 'SHA1', digits: 6, period: 30 };
const window = 1;
/** 160 bits (RFC 4226, §4). */
const secretBytes = 20;
const enrolmentMinutes = 30;

const emailOf = 'select email from users where id = $1';
const begin = `insert into totp_secrets as t (user_id, secret) values ($1, $2)
  on conflict (user_id) do update set secret = excluded.secret, created_at = now() where t.confirmed_at is null
  returning created_at + interval '${enrolmentMinutes} minutes' as "expiresAt"`;
const hold = `select secret, confirmed_at is not null as "isConfirmed", last_step as "lastStep",
    confirmed_at is null and created_at < now() - interval '${enrolmentMinutes} minutes' as "isExpired"
  from totp_secrets where user_id = $1 for update`;
const confirm = `update totp_secrets set confirmed_at = now(), last_step = $2 where user_id = $1
  returning confirmed_at as since`;
const use = 'update totp_secrets set last_step = $2 where user_id = $1';
const remove = 'delete from totp_secrets where user_id = $1 returning confirmed_at is not null as "wasActive"';

interface Held {
  secret: Buffer;
  isConfirmed: boolean;
  isExpired: boolean;
  lastStep: number | null;
}

type Keys = Pick<RequestContext, 'service' | 'clock'>;

/**
 * The time step of a code that is right now and later than the last one used; null for any other, and for all where the
 * key that encrypted the secret was replaced.
 */
function stepOf({ service, clock }: Keys, userId: string, held: Held, code: string): number | null {
  const bytes = decrypt(held.secret, service.totpKey, userId);
  if (bytes === null) return null;
  const secret = new Secret({ buffer: Uint8Array.from(bytes).buffer });
  const timestamp = clock().getTime();
  const token = code.replace(/\s/g, '');
  const delta = TOTP.validate({ token, secret, timestamp, window, ...shape });
  if (delta === null) return null;
  const step = TOTP.counter({ period: shape.period, timestamp }) + delta;
  return held.lastStep !== null && step <= held.lastStep ? null : step;
}

/**
 * Whether a code of the person's authenticator app is right. It is used then: neither it nor an earlier one is accepted
 * again, by any process. `tx` is a transaction.
 */
export async function isTotp(tx: Db, keys: Keys, userId: string, code: string): Promise<boolean> {
  const [held] = await tx.rows<Held>(hold, [userId]);
  const step = held?.isConfirmed ? stepOf(keys, userId, held, code) : null;
  if (step === null) return false;
  await tx.rows(use, [userId, step]);
  return true;
}

/** A new secret for an authenticator app, to be confirmed with a code. @throws Failure 403, 409 when there is one. */
export async function beginTotp(ctx: Context): Promise<TotpEnrolmentAnswer> {
  const { db, principal, service } = ctx;
  await requireRecentAuthentication(ctx);
  const bytes = Uint8Array.from(randomBytes(secretBytes));
  const values = [principal.userId, encrypt(bytes, service.totpKey, principal.userId)];
  const [made] = await db.transaction(async (tx) => {
    await holdOwnFactors(tx, principal);
    return tx.rows<{ expiresAt: string }>(begin, values);
  });
  if (!made) throw conflict('There is an authenticator app already. Remove it first.');
  const [person] = await db.rows<{ email: string | null }>(emailOf, [principal.userId]);
  const secret = new Secret({ buffer: bytes.buffer });
  const totp = new TOTP({ ...shape, issuer: 'Tandem', label: person?.email ?? principal.userId, secret });
  return { object: 'totp_enrolment', secret: secret.base32, uri: totp.toString(), expiresAt: made.expiresAt };
}

/** Activates the authenticator app with its first code. @throws Failure 400 for a wrong code, 403, 409. */
export async function confirmTotp(ctx: Context, { code }: { code: string }) {
  const { userId } = ctx.principal;
  await requireRecentAuthentication(ctx);
  const confirmed = await ctx.db.transaction(async (tx) => {
    await holdOwnFactors(tx, ctx.principal);
    const [held] = await tx.rows<Held>(hold, [userId]);
    if (held?.isConfirmed) throw conflict('There is an authenticator app already. Remove it first.');
    if (!held || held.isExpired) throw conflict('This setup has expired. Start again.');
    const step = stepOf(ctx, userId, held, code);
    if (step === null) {
      throw invalid('code', 'This code is wrong. Enter the newest one, and check the clock of your device.');
    }
    const [row] = await tx.rows<{ since: string }>(confirm, [userId, step]);
    if (!row) throw new Error('the held secret is gone');
    await queueFactorNotice(ctx, tx, userId, 'totp_added');
    return { since: row.since, recoveryCodes: await firstRecoveryCodes(tx, userId) };
  });
  return { object: 'totp' as const, isActive: true as const, ...confirmed };
}

/** Removes the authenticator app, or the secret of one that is not confirmed yet. @throws Failure 403. */
export async function removeTotp(ctx: Context) {
  const { userId } = ctx.principal;
  await requireRecentAuthentication(ctx);
  const wasActive = await ctx.db.transaction(async (tx) => {
    await holdOwnFactors(tx, ctx.principal);
    const [removed] = await tx.rows<{ wasActive: boolean }>(remove, [userId]);
    await endCodesOfNone(tx, userId);
    if (removed?.wasActive) await queueFactorNotice(ctx, tx, userId, 'totp_removed');
    return removed?.wasActive ?? false;
  });
  return { object: 'totp' as const, isActive: false as const, alreadyRemoved: !wasActive };
}
