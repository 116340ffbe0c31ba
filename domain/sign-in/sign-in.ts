import { costOf } from '../../db/passwords.ts';
import type { users } from '../../db/schema/index.ts';
import { createWorkspace } from '../../db/seed.ts';
import { verificationEmail } from '../accounts/email-verification.ts';
import { openSession } from '../accounts/open-session.ts';
import type { OpenedSession } from '../accounts/shapes.ts';
import type { RequestContext } from '../context.ts';
import { emailTaken, Failure } from '../errors.ts';
import { actingAs } from '../events/record.ts';
import { methodsOf } from '../second-factors/factors.ts';
import { recordOpened } from '../workspaces/events.ts';
import { joinByInvitation } from '../workspaces/invitations.ts';
import { Attempts } from './attempts.ts';
import { requireUncommonPassword } from './common-passwords.ts';
import { isPassword, newPasswordHash } from './hashing.ts';
import { challengeSecondFactor } from './second-step.ts';
import type { SignIn, SignInAnswer, SignUp } from './shapes.ts';
import { openSignInSession } from './sign-in-session.ts';

const maxNameLength = 100;

/** 401 for a wrong email address or password: the same answer for both. */
function wrongCredentials(): Failure {
  const message = 'The email address or the password is wrong.';
  return new Failure({ status: 401, code: 'invalid_api_key', message, reason: 'wrong_credentials' });
}

/** 403: accounts are made by invitation only. That the invitation is valid is known when it is accepted. */
function invitationRequired(): Failure {
  const message =
    'This service takes new accounts by invitation only. Ask an owner of a workspace to invite you, and open the link of the invitation.';
  const errors = [{ param: 'invitationToken', code: 'required', message }];
  return new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'invitation_required', errors });
}

/**
 * Creates an account with a workspace of its own, and signs it in; with an invitation, into the workspace of that.
 * Sends the email that verifies the address, where the service sends emails or requires it. Attempts count like
 * sign-ins, so that addresses cannot be tried in bulk. @throws Failure 403 without an invitation where one is needed,
 * 409 address taken, 400, 429.
 */
export async function signUp(ctx: RequestContext, request: SignUp): Promise<OpenedSession> {
  const { db, client, mail } = ctx;
  const { email, name: userName, timezone, invitationToken } = request;
  if (ctx.service.signUp === 'invited' && invitationToken === undefined) throw invitationRequired();
  const attempts = new Attempts(db, email, client.addressHash);
  await attempts.begin();
  requireUncommonPassword('password', request.password, { ...request, publicUrl: ctx.service.publicUrl });
  const passwordHash = await newPasswordHash(ctx, request.password, attempts);
  const workspaceName = request.workspaceName ?? `${userName}’s workspace`.slice(0, maxNameLength);
  const { agentMinutes, requireVerifiedEmail: requireVerified, publicUrl } = ctx.service;
  const { opened: session, verification } = await db.transaction(async (tx) => {
    const taken = await tx.rows('select 1 from users where lower(email) = lower($1)', [email]);
    if (taken.length > 0) throw emailTaken();
    const made = await createWorkspace(tx, { workspaceName, userName, email, passwordHash, timezone, agentMinutes });
    const { userId } = made;
    const invited = await actingAs(tx, userId, async (theirs) => {
      await recordOpened(theirs, made);
      return invitationToken === undefined ? null : joinByInvitation(theirs, invitationToken, userId);
    });
    const opened = await openSession(tx, { userId, workspaceId: invited ?? made.workspaceId, client: client.name });
    await new Attempts(tx, email, client.addressHash).succeeded();
    const isSent = mail.sends || requireVerified;
    return { opened, verification: isSent ? await verificationEmail(tx, userId, publicUrl) : null };
  });
  if (verification) mail.post(verification);
  ctx.reply.session = session;
  return session;
}

type Account = Pick<typeof users.$inferSelect, 'id' | 'passwordHash'>;

const raise = 'update users set password_hash = $3 where id = $1 and password_hash = $2 returning 1';

/** The hash of a right password, computed again if the stored one has a lower cost than passwords have now. */
async function raised(
  ctx: RequestContext,
  { id, passwordHash }: Account,
  password: string,
  attempts: Attempts,
): Promise<string> {
  if (costOf(passwordHash) >= ctx.service.passwordCost) return passwordHash;
  // Without a place in the queue it is for the next sign-in.
  const anew = await newPasswordHash(ctx, password).catch(() => undefined);
  if (anew !== undefined && (await ctx.db.rows(raise, [id, passwordHash, anew])).length > 0) return anew;
  // Another sign-in may have been first, or the password was changed.
  const [now] = await ctx.db.rows<Account>(passwordOf, [id]);
  if (!now || now.passwordHash === passwordHash) return passwordHash;
  return (await isPassword(ctx, password, now.passwordHash, attempts)) ? now.passwordHash : passwordHash;
}

const passwordOf = 'select id, password_hash as "passwordHash" from users where id = $1';
const account = 'select id, password_hash as "passwordHash" from users where lower(email) = lower($1)';

/**
 * Signs a person in, into the workspace named or the one used last; of a person with a second factor, only begins to.
 * Unknown address and wrong password give the same answer after the same work. @throws Failure 401, 403 not a member of
 * that workspace, 429.
 */
export async function signIn(ctx: RequestContext, request: SignIn): Promise<SignInAnswer> {
  const { db, client } = ctx;
  const attempts = new Attempts(db, request.email, client.addressHash);
  await attempts.begin();
  const [found] = await db.rows<Account>(account, [request.email]);
  const right = await isPassword(ctx, request.password, found?.passwordHash ?? null, attempts);
  if (!found || !right) throw wrongCredentials();
  found.passwordHash = await raised(ctx, found, request.password, attempts);
  const { workspaceId } = request;
  const methods = await methodsOf(db, found.id);
  if (methods.length > 0) {
    await attempts.withdraw();
    return challengeSecondFactor(db, { ...found, workspaceId, methods });
  }
  await attempts.succeeded();
  const session = await openSignInSession(ctx, { ...found, userId: found.id, workspaceId }, wrongCredentials);
  ctx.reply.session = session;
  return session;
}

/** Checks the password of a signed-in person. @throws Failure 400 `param` when it is wrong, 429. */
export async function requirePassword(
  ctx: RequestContext,
  userId: string,
  password: string,
  param = 'currentPassword',
): Promise<void> {
  const { db, client } = ctx;
  const attempts = new Attempts(db, userId, client.addressHash);
  await attempts.begin();
  const [found] = await db.rows<Account>(passwordOf, [userId]);
  const right = await isPassword(ctx, password, found?.passwordHash ?? null, attempts);
  if (right) return attempts.succeeded();
  const message = 'This is not your current password.';
  const errors = [{ param, code: 'wrong_password', message }];
  throw new Failure({ status: 400, code: 'validation_failed', message, errors });
}
