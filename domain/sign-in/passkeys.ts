import type { z } from 'zod';
import type { OpenedSession } from '../accounts/shapes.ts';
import type { Context, RequestContext } from '../context.ts';
import { Failure } from '../errors.ts';
import { personOfPasskey, requestPasskey } from '../second-factors/assertions.ts';
import { type Purpose, takeChallenge } from '../second-factors/challenges.ts';
import { checkOf } from '../second-factors/proofs.ts';
import { noteAuthentication } from '../second-factors/recent-authentication.ts';
import type { ReauthenticationParams } from '../second-factors/shapes.ts';
import { Attempts, secondFactorLimits } from './attempts.ts';
import type { PasskeySignInParams } from './shapes.ts';
import { requirePassword } from './sign-in.ts';
import { openSignedIn } from './sign-in-session.ts';

/** 401: the same answer for a passkey that is not known and one that is not verified. */
function unknownPasskey(): Failure {
  const message = 'This passkey was not accepted. Sign in with your password.';
  const errors = [{ param: 'credential', code: 'wrong_passkey', message }];
  return new Failure({ status: 401, code: 'invalid_api_key', message, reason: 'wrong_passkey', errors });
}

/**
 * Signs a person in with a passkey alone: it verifies its user, so it is two factors in one. @throws Failure 401, 403
 * not a member of that workspace.
 */
export async function signInWithPasskey(
  ctx: RequestContext,
  { credential, workspaceId }: z.infer<typeof PasskeySignInParams>,
): Promise<OpenedSession> {
  const { db, service } = ctx;
  const purpose: Purpose = { purpose: 'sign_in', binding: '' };
  const challenge = await takeChallenge(db, credential.response.clientDataJSON, purpose);
  if (challenge === null || !credential.response.userHandle) throw unknownPasskey();
  const session = await db.transaction(async (tx) => {
    const userId = await personOfPasskey(tx, service, credential, challenge);
    if (userId === null) throw unknownPasskey();
    return openSignedIn(tx, ctx, userId, workspaceId);
  });
  ctx.reply.session = session;
  return session;
}

const reauthenticationIn = ({ principal }: Context): Purpose => ({
  purpose: 'reauthentication',
  binding: principal.credentialId,
});

/** Options for a passkey of the person, to reauthenticate with. */
export function requestReauthentication(ctx: Context) {
  const { db, service, principal } = ctx;
  return requestPasskey(db, service, principal.userId, reauthenticationIn(ctx));
}

/**
 * Checks that the person of the session is there: for the next 10 minutes the session may change how they sign in.
 * @throws Failure 400 `password`, `code` or `credential` when it is wrong, 429.
 */
export async function reauthenticate(ctx: Context, proof: z.infer<typeof ReauthenticationParams>) {
  const { db, principal, client } = ctx;
  const { userId, credentialId } = principal;
  const done = (expiresAt: string) => ({ object: 'reauthentication' as const, expiresAt });
  if (proof.method === 'password') {
    await requirePassword(ctx, userId, proof.password, 'password');
    return done(await noteAuthentication(db, credentialId));
  }
  const attempts = new Attempts(db, `second factor ${userId}`, client.addressHash, secondFactorLimits);
  await attempts.begin();
  const isRight = await checkOf(ctx, proof, reauthenticationIn(ctx));
  const expiresAt = await db.transaction(async (tx) =>
    (await isRight(tx, userId)) ? noteAuthentication(tx, credentialId) : null,
  );
  if (expiresAt === null) {
    const message = 'This was not accepted, or was used before. Try again.';
    const errors = [{ param: proof.method === 'totp' ? 'code' : 'credential', code: 'wrong_second_factor', message }];
    throw new Failure({ status: 400, code: 'validation_failed', message, errors });
  }
  await attempts.succeeded();
  return done(expiresAt);
}
