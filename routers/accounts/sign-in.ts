import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { hashPassword, verifyPassword } from '../../db/passwords.ts';
import { createWorkspace } from '../../db/seed.ts';
import type { Client, ServiceSettings } from '../base.ts';
import { conflict, Failure } from '../errors.ts';
import { acceptInvitation } from '../workspaces/invitations.ts';
import { Attempts } from './attempts.ts';
import { openSession } from './sessions.ts';
import type { NewSession } from './shapes.ts';

type Session = z.infer<typeof NewSession>;

interface SignUp {
  email: string;
  password: string;
  name: string;
  workspaceName?: string | undefined;
  timezone: string;
  invitationToken?: string | undefined;
}

/** 401 for a wrong e-mail address or password: the same answer for both. */
function wrongCredentials(): Failure {
  const message = 'The e-mail address or the password is wrong.';
  return new Failure({ status: 401, code: 'invalid_api_key', message, reason: 'wrong_credentials' });
}

/**
 * Makes an account with a workspace of its own, and signs it in; with an invitation, into the workspace it invites to.
 * Attempts count like sign-ins, so that addresses cannot be tried in bulk. @throws Failure 409 address taken, 400, 429.
 */
export async function signUp(db: Db, service: ServiceSettings, client: Client, request: SignUp): Promise<Session> {
  const { email, name: userName, timezone, invitationToken } = request;
  const attempts = new Attempts(db, email, client.addressHash);
  await attempts.begin();
  const passwordHash = await hashPassword(request.password);
  const workspaceName = request.workspaceName ?? `${userName}’s workspace`.slice(0, 100);
  const { agentMinutes } = service;
  return db.transaction(async (tx) => {
    const taken = await tx.rows('select 1 from users where lower(email) = lower($1)', [email]);
    if (taken.length > 0) throw emailTaken();
    const made = await createWorkspace(tx, { workspaceName, userName, email, passwordHash, timezone, agentMinutes });
    const invited = invitationToken === undefined ? null : await acceptInvitation(tx, invitationToken, made.userId);
    const session = await openSession(tx, { ...made, workspaceId: invited ?? made.workspaceId, client: client.name });
    await new Attempts(tx, email, client.addressHash).succeeded();
    return session;
  });
}

/** 409: another account has this e-mail address. */
function emailTaken(): Failure {
  const message = 'There is an account with this e-mail address. Sign in, or reset its password.';
  return conflict(message, { errors: [{ param: 'email', code: 'taken', message }] });
}

interface Account {
  id: string;
  passwordHash: string;
}

const account = 'select id, password_hash as "passwordHash" from users where lower(email) = lower($1)';
const workspaceOf = `select m.workspace_id as id from members m
  left join credentials c on c.workspace_id = m.workspace_id and c.user_id = m.user_id and c.kind = 'session'
  where m.user_id = $1 and m.removed_at is null
  group by m.workspace_id, m.created_at order by max(c.last_used_at) desc nulls last, m.created_at limit 1`;

/**
 * Signs a person in, into the workspace named or the one used last. Unknown address and wrong password give the same
 * answer after the same work. @throws Failure 401, 403 no member of that workspace, 429.
 */
export async function signIn(
  db: Db,
  client: Client,
  request: { email: string; password: string; workspaceId?: string | undefined },
): Promise<Session> {
  const attempts = new Attempts(db, request.email, client.addressHash);
  await attempts.begin();
  const [found] = await db.rows<Account>(account, [request.email]);
  const right = await verifyPassword(request.password, found?.passwordHash ?? null);
  if (!found || !right) throw wrongCredentials();
  await attempts.succeeded();
  const [last] = await db.rows<{ id: string }>(workspaceOf, [found.id]);
  const workspaceId = request.workspaceId ?? last?.id ?? '00000000-0000-0000-0000-000000000000';
  return openSession(db, { workspaceId, userId: found.id, client: client.name });
}

const passwordOf = 'select id, password_hash as "passwordHash" from users where id = $1';

/** @throws Failure 400 `currentPassword` when it is wrong; 429 after too many tries. */
export async function requirePassword(db: Db, userId: string, password: string, client: Client): Promise<void> {
  const attempts = new Attempts(db, userId, client.addressHash);
  await attempts.begin();
  const [found] = await db.rows<Account>(passwordOf, [userId]);
  if (await verifyPassword(password, found?.passwordHash ?? null)) return attempts.succeeded();
  const message = 'This is not your current password.';
  const errors = [{ param: 'currentPassword', code: 'wrong_password', message }];
  throw new Failure({ status: 400, code: 'validation_failed', message, errors });
}
