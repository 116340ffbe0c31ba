import { hash, randomInt } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { hasRecoveryCodes, holdOwnFactors, requireFactor } from './factors.ts';
import { queueFactorNotice } from './notices.ts';
import { requireRecentAuthentication } from './recent-authentication.ts';
import type { RecoveryCodesAnswer } from './shapes.ts';

const count = 10;
/** Crockford’s base32: without I, L, O and U, which are misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 120 random bits: enough for a fast hash without salt (ASVS 5.0, 6.5.2 asks for 112). */
const groups = 6;
const groupLength = 4;

const clear = 'delete from recovery_codes where user_id = $1';
const insert = `insert into recovery_codes (user_id, code_hash)
  select $1, decode(code, 'hex') from unnest($2::text[]) as c(code) returning created_at as "createdAt"`;
const use = `update recovery_codes set used_at = now() where user_id = $1 and code_hash = $2 and used_at is null
  returning 1`;

function newCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet.charAt(randomInt(32))).join('');
  return Array.from({ length: groups }, group).join('-');
}

/**
 * What is hashed of a code as a person typed it: case, spaces and hyphens do not matter, nor O for 0, I and L for 1.
 */
function canonical(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}

function hashOf(code: string): string {
  return hash('sha256', canonical(code));
}

async function replaceCodes(tx: Db, userId: string): Promise<RecoveryCodesAnswer> {
  const codes = Array.from({ length: count }, newCode);
  await tx.rows(clear, [userId]);
  const [row] = await tx.rows<{ createdAt: string }>(insert, [userId, codes.map(hashOf)]);
  if (!row) throw new Error('no recovery code was inserted');
  return { object: 'recovery_codes', codes, createdAt: row.createdAt };
}

/** Recovery codes with the first second factor; null for a person who has some. `tx` holds the factors. */
export async function firstRecoveryCodes(tx: Db, userId: string): Promise<RecoveryCodesAnswer | null> {
  return (await hasRecoveryCodes(tx, userId)) ? null : replaceCodes(tx, userId);
}

/** Whether a recovery code is right; it is used then. `tx` is a transaction. */
export async function isRecoveryCode(tx: Db, userId: string, code: string): Promise<boolean> {
  const used = await tx.rows(use, [userId, Buffer.from(hashOf(code), 'hex')]);
  return used.length > 0;
}

/** Replaces the recovery codes of the person by ten new ones. @throws Failure 403, 409 without a second factor. */
export async function createRecoveryCodes(ctx: Context): Promise<RecoveryCodesAnswer> {
  const { userId } = ctx.principal;
  await requireRecentAuthentication(ctx);
  return ctx.db.transaction(async (tx) => {
    await holdOwnFactors(tx, ctx.principal);
    await requireFactor(tx, userId);
    await queueFactorNotice(ctx, tx, userId, 'recovery_codes_replaced');
    return replaceCodes(tx, userId);
  });
}
