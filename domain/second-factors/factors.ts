import type { Db } from '../../db/client.ts';
import { requireValid } from '../access.ts';
import type { Context, Principal } from '../context.ts';
import { conflict } from '../errors.ts';
import type { SecondFactorMethod, SecondFactorStatus } from './shapes.ts';

interface Factors {
  totpSince: string | null;
  passkeys: number;
  recoveryCodes: number;
  recoveryCodesSince: string | null;
}

const factors = `select
    (select confirmed_at from totp_secrets where user_id = $1 and confirmed_at is not null) as "totpSince",
    (select count(*)::int from passkeys where user_id = $1) as passkeys,
    (select count(*)::int from recovery_codes where user_id = $1 and used_at is null) as "recoveryCodes",
    (select max(created_at) from recovery_codes where user_id = $1) as "recoveryCodesSince"`;
const requiring = 'select require_second_factor as required from workspaces where id = $1';
const hold = 'select id from users where id = $1 for update';
const removeCodes = 'delete from recovery_codes where user_id = $1';

const removeTotp = 'delete from totp_secrets where user_id = $1';
const removePasskeys = 'delete from passkeys where user_id = $1';

async function factorsOf(db: Db, userId: string): Promise<Factors> {
  const [row] = await db.rows<Factors>(factors, [userId]);
  if (!row) throw new Error('a select without from returned no row');
  return row;
}

const hasFactor = ({ totpSince, passkeys }: Factors) => totpSince !== null || passkeys > 0;

/** The ways in which a person can give a second factor; empty when they have none. */
export async function methodsOf(db: Db, userId: string): Promise<SecondFactorMethod[]> {
  const found = await factorsOf(db, userId);
  if (!hasFactor(found)) return [];
  const methods: SecondFactorMethod[] = [];
  if (found.totpSince !== null) methods.push('totp');
  if (found.passkeys > 0) methods.push('passkey');
  if (found.recoveryCodes > 0) methods.push('recovery_code');
  return methods;
}

/** Locks the second factors of a person until the transaction ends: they are changed one at a time. */
async function holdFactors(tx: Db, userId: string): Promise<void> {
  await tx.rows(hold, [userId]);
}

/**
 * As `holdFactors`, for the person of a request. The session is checked again, because code that ends all sessions, and
 * may remove the factors, takes the same lock.
 * @throws Failure 401 when the session has ended.
 */
export async function holdOwnFactors(tx: Db, principal: Principal): Promise<void> {
  await holdFactors(tx, principal.userId);
  await requireValid(tx, principal);
}

/** @throws Failure 409 when the person has no second factor, which recovery codes could replace. */
export async function requireFactor(tx: Db, userId: string): Promise<void> {
  if (hasFactor(await factorsOf(tx, userId))) return;
  throw conflict('Set up an authenticator app or a passkey first: recovery codes replace one that is lost.');
}

/** Whether the person has unused or used recovery codes. */
export async function hasRecoveryCodes(tx: Db, userId: string): Promise<boolean> {
  return (await factorsOf(tx, userId)).recoveryCodesSince !== null;
}

/** After a removal, under the lock: without another factor the recovery codes end too. */
export async function endCodesOfNone(tx: Db, userId: string): Promise<void> {
  if (!hasFactor(await factorsOf(tx, userId))) await tx.rows(removeCodes, [userId]);
}

/** Removes all second factors of a person and their recovery codes. In a transaction. */
export async function removeFactors(tx: Db, userId: string): Promise<void> {
  await holdFactors(tx, userId);
  for (const statement of [removeTotp, removePasskeys, removeCodes]) await tx.rows(statement, [userId]);
}

/** The second factors of the person, and whether the workspace of the session requires one. */
export async function getSecondFactors({ db, principal }: Context): Promise<SecondFactorStatus> {
  const { userId, workspaceId } = principal;
  const found = await factorsOf(db, userId);
  const [workspace] = await db.rows<{ required: boolean }>(requiring, [workspaceId]);
  return {
    object: 'second_factors',
    isActive: hasFactor(found),
    isRequired: workspace?.required ?? false,
    totp: { isActive: found.totpSince !== null, since: found.totpSince },
    passkeys: found.passkeys,
    recoveryCodes: { remaining: found.recoveryCodes, createdAt: found.recoveryCodesSince },
  };
}
