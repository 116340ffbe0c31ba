import type { Db } from '../../db/client.ts';
import type { RequestContext } from '../context.ts';
import { personOfPasskey } from './assertions.ts';
import { type Purpose, takeChallenge } from './challenges.ts';
import { queueFactorNotice } from './notices.ts';
import { isRecoveryCode } from './recovery-codes.ts';
import type { Proof } from './shapes.ts';
import { isTotp } from './totp.ts';

type ProofContext = Pick<RequestContext, 'db' | 'service' | 'clock' | 'mail'>;

/** Checks a proof in a transaction; a code or a passkey that is right is used then. */
export type Check = (tx: Db, userId: string) => Promise<boolean>;

const unused = 'select count(*)::int as count from recovery_codes where user_id = $1 and used_at is null';

async function isReportedCode(ctx: ProofContext, tx: Db, userId: string, code: string): Promise<boolean> {
  if (!(await isRecoveryCode(tx, userId, code))) return false;
  const [left] = await tx.rows<{ count: number }>(unused, [userId]);
  await queueFactorNotice(ctx, tx, userId, 'recovery_code_used', String(left?.count ?? 0));
  return true;
}

/**
 * The check of a second factor that a person gave. The challenge of a passkey is taken before, so that it is used up
 * even if the transaction of the check is rolled back.
 */
export async function checkOf(ctx: ProofContext, proof: Proof, purpose: Purpose): Promise<Check> {
  if (proof.method === 'totp') return (tx, userId) => isTotp(tx, ctx, userId, proof.code);
  if (proof.method === 'recovery_code') return (tx, userId) => isReportedCode(ctx, tx, userId, proof.code);
  const { credential } = proof;
  const challenge = await takeChallenge(ctx.db, credential.response.clientDataJSON, purpose);
  return async (tx, userId) =>
    challenge !== null && (await personOfPasskey(tx, ctx.service, credential, challenge)) === userId;
}
