import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { OpenedSession } from '../accounts/shapes.ts';
import type { RequestContext } from '../context.ts';
import { Failure } from '../errors.ts';
import { requestPasskey } from '../second-factors/assertions.ts';
import type { Purpose } from '../second-factors/challenges.ts';
import { queueFactorNotice } from '../second-factors/notices.ts';
import { type Check, checkOf } from '../second-factors/proofs.ts';
import type { SecondFactorMethod } from '../second-factors/shapes.ts';
import { Attempts, secondFactorLimits } from './attempts.ts';
import type { SignInChallengeAnswer, SignInCompletion } from './shapes.ts';
import { openSignedIn } from './sign-in-session.ts';

const validMinutes = 10;
/** Wrong codes after which the password must be entered again. */
const maxFailures = 5;

const insert = `insert into sign_in_challenges (token_hash, user_id, password_digest, opens, expires_at)
  values ($1, $2, sha256(convert_to($3, 'UTF8')), $4, now() + interval '${validMinutes} minutes')
  returning expires_at as "expiresAt"`;
/* A password that changed meanwhile ends the challenge. */
const isOpen = `c.token_hash = $1 and c.expires_at > now() and c.failures < ${maxFailures}
    and sha256(convert_to(u.password_hash, 'UTF8')) = c.password_digest`;
const find = `select c.user_id as "userId", u.email from sign_in_challenges c join users u on u.id = c.user_id where ${isOpen}`;
const hold = `select c.opens from sign_in_challenges c join users u on u.id = c.user_id where ${isOpen} for update of c for share of u`;
const fail = 'update sign_in_challenges set failures = failures + 1 where token_hash = $1 returning failures';
const complete = 'delete from sign_in_challenges where token_hash = $1';

interface Open {
  userId: string;
  email: string;
}

interface PasswordStep {
  id: string;
  passwordHash: string;
  workspaceId: string | undefined;
  methods: SecondFactorMethod[];
}

const hashOf = (token: string) => hash('sha256', token, 'buffer');

/** Only whoever has the token may answer the challenge of a passkey. */
const secondFactorOf = (token: string): Purpose => ({ purpose: 'second_factor', binding: token });

/** A sign-in that waits for its second factor. There is no session yet. */
export async function challengeSecondFactor(db: Db, step: PasswordStep): Promise<SignInChallengeAnswer> {
  const { id, passwordHash, workspaceId, methods } = step;
  const token = randomBytes(32).toString('base64url');
  const [row] = await db.rows<{ expiresAt: string }>(insert, [hashOf(token), id, passwordHash, workspaceId ?? null]);
  if (!row) throw new Error('no sign-in challenge was inserted');
  return { object: 'sign_in_challenge', token, methods, expiresAt: row.expiresAt };
}

/** 401: the challenge is used, expired or spent. */
function ended(): Failure {
  const message = 'This sign-in has ended. Enter your password again.';
  const errors = [{ param: 'token', code: 'sign_in_ended', message }];
  return new Failure({ status: 401, code: 'invalid_api_key', message, reason: 'sign_in_ended', errors });
}

/** 401: the second factor is wrong. */
function refused(method: SecondFactorMethod): Failure {
  const [param, message] =
    method === 'passkey'
      ? ['credential', 'This passkey was not accepted. Try again, or use another second factor.']
      : ['code', 'This code is wrong or was used before. Enter a new one.'];
  const errors = [{ param, code: 'wrong_second_factor', message }];
  return new Failure({ status: 401, code: 'invalid_api_key', message, reason: 'wrong_second_factor', errors });
}

async function openChallenge(db: Db, token: string): Promise<Open> {
  const [open] = await db.rows<Open>(find, [hashOf(token)]);
  if (!open) throw ended();
  return open;
}

/**
 * Options for a passkey: as second factor of the challenge, or, without one, any passkey that the device has.
 * @throws Failure 401 when the challenge has ended.
 */
export async function requestSignInPasskey({ db, service }: RequestContext, { token }: { token?: string | undefined }) {
  if (token === undefined) return requestPasskey(db, service, null, { purpose: 'sign_in', binding: '' });
  const { userId } = await openChallenge(db, token);
  return requestPasskey(db, service, userId, secondFactorOf(token));
}

/**
 * Counts a wrong factor. When it is the last one that is allowed, the person gets an email, because somebody knows the
 * password.
 */
async function countFailure(ctx: RequestContext, tx: Db, token: string, userId: string): Promise<void> {
  const [challenge] = await tx.rows<{ failures: number }>(fail, [hashOf(token)]);
  if (challenge?.failures === maxFailures) await queueFactorNotice(ctx, tx, userId, 'second_factor_refused');
}

/**
 * The second step of a sign-in: opens the session. The challenge is locked meanwhile and deleted on success, so that it
 * opens one session however many requests arrive at once.
 * @throws Failure 401 `wrong_second_factor` or `sign_in_ended`, 403, 429.
 */
export async function completeSignIn(
  ctx: RequestContext,
  { token, ...proof }: SignInCompletion,
): Promise<OpenedSession> {
  const { db, client } = ctx;
  const { userId, email } = await openChallenge(db, token);
  const attempts = (on: Db) => new Attempts(on, `second factor ${userId}`, client.addressHash, secondFactorLimits);
  await attempts(db).begin();
  const isRight: Check = await checkOf(ctx, proof, secondFactorOf(token));
  const session = await db.transaction(async (tx) => {
    const [held] = await tx.rows<{ opens: string | null }>(hold, [hashOf(token)]);
    if (!held) throw ended();
    if (!(await isRight(tx, userId))) {
      await countFailure(ctx, tx, token, userId);
      return null;
    }
    await tx.rows(complete, [hashOf(token)]);
    const opened = await openSignedIn(tx, ctx, userId, held.opens);
    await attempts(tx).succeeded();
    await new Attempts(tx, email, client.addressHash).succeeded();
    return opened;
  });
  if (!session) throw refused(proof.method);
  ctx.reply.session = session;
  return session;
}
