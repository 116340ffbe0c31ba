import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { verificationEmail } from '../accounts/email-verification.ts';
import { openSession } from '../accounts/open-session.ts';
import type { OpenedSession } from '../accounts/shapes.ts';
import type { RequestContext } from '../context.ts';
import { emailTaken, invalid } from '../errors.ts';
import { changedFieldsOf } from '../events/changes.ts';
import { actingAs, type NewEvent, recordEvents } from '../events/record.ts';
import { Attempts } from './attempts.ts';
import { requireUncommonPassword } from './common-passwords.ts';
import { newPasswordHash } from './hashing.ts';
import type { FirstWorkspace } from './shapes.ts';

/*
 * The first start makes a workspace whose owner has neither address nor password (CONTRACT §10.24). The person who has
 * the link that it prints becomes that owner.
 */

const linkHours = 24;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The address of the owner until a person has taken the workspace. */
export const noAddress = '';

const replace = `insert into welcome_links (user_id, token_hash, expires_at)
  select id, $1, now() + interval '${linkHours} hours' from users where lower(email) = '${noAddress}'
  on conflict (user_id) do update set token_hash = excluded.token_hash, created_at = now(), expires_at = excluded.expires_at
  returning expires_at as "expiresAt"`;
const status = `select l.expires_at as "expiresAt", l.expires_at > now() as "isOpen"
  from users u left join welcome_links l on l.user_id = u.id where lower(u.email) = '${noAddress}'`;
const valid = 'select user_id as "userId" from welcome_links where token_hash = $1 and expires_at > now()';
const use = 'delete from welcome_links where token_hash = $1 and expires_at > now() returning user_id as "userId"';
const taken = 'select 1 from users where lower(email) = lower($1)';
const untaken = `select name, email from users where id = $1 and email = '${noAddress}' for no key update`;
const become = 'update users set name = $2, email = $3, password_hash = $4 where id = $1';
const ownWorkspace = `select workspace_id as id from members where user_id = $1 and role = 'owner' and removed_at is null`;
const setTimeZone = 'update workspaces set timezone = $2 where id = $1 and timezone <> $2 returning 1';

/** The link that takes the first workspace. What follows `#` stays in the browser. */
export interface WelcomeLink {
  link: string;
  expiresAt: string;
}

/**
 * Makes the link that takes the first workspace, in place of an earlier one; null when a person has taken it already.
 */
export async function newWelcomeLink(db: Db, publicUrl: string): Promise<WelcomeLink | null> {
  const token = randomBytes(32).toString('base64url');
  const [made] = await db.rows<{ expiresAt: string }>(replace, [sha256(token)]);
  return made ? { link: `${publicUrl}/welcome#token=${token}`, expiresAt: made.expiresAt } : null;
}

/**
 * Until when the link of a workspace that nobody has taken is valid, if it still is; null when there is no such
 * workspace.
 */
export async function welcomeStatus(db: Db): Promise<{ validUntil: string | null } | null> {
  const [found] = await db.rows<{ expiresAt: string | null; isOpen: boolean | null }>(status, []);
  return found ? { validUntil: found.isOpen ? found.expiresAt : null } : null;
}

/**
 * Makes the person who has the link the owner of the first workspace, and signs them in. Attempts count like sign-ins.
 * The address is confirmed as after a sign-up. @throws Failure 400 for a link that is wrong, used or expired, or a
 * common password, 409 address taken, 429.
 */
export async function takeFirstWorkspace(ctx: RequestContext, request: FirstWorkspace): Promise<OpenedSession> {
  const { db, client, mail } = ctx;
  const { requireVerifiedEmail: requireVerified, publicUrl } = ctx.service;
  const { name, email, timezone } = request;
  const tokenHash = sha256(request.token);
  const spent = () =>
    invalid(
      'token',
      'This link is not valid, or was used or replaced. If you used it yourself, sign in. Otherwise ask the person who runs the service for a new one.',
    );
  const attempts = new Attempts(db, email, client.addressHash);
  await attempts.begin();
  if ((await db.rows(valid, [tokenHash])).length === 0) throw spent();
  requireUncommonPassword('password', request.password, { name, email, publicUrl });
  const passwordHash = await newPasswordHash(ctx, request.password, attempts);
  const { session, verification } = await db.transaction(async (tx) => {
    // Deleting it locks the link: the second of two people waits for the first, and finds it used.
    const [link] = await tx.rows<{ userId: string }>(use, [tokenHash]);
    if (!link) throw spent();
    const { userId } = link;
    if ((await tx.rows(taken, [email])).length > 0) throw emailTaken();
    const [before] = await tx.rows<{ name: string; email: string }>(untaken, [userId]);
    const [workspace] = await tx.rows<{ id: string }>(ownWorkspace, [userId]);
    if (!before || !workspace) throw spent();
    await tx.rows(become, [userId, name, email, passwordHash]);
    const events: NewEvent[] = [
      { type: 'member.changed', objectId: userId, changedFields: changedFieldsOf(before, { name, email }) },
    ];
    if (timezone !== undefined && (await tx.rows(setTimeZone, [workspace.id, timezone])).length > 0) {
      events.unshift({ type: 'workspace.updated', objectId: workspace.id, changedFields: ['timezone'] });
    }
    await actingAs(tx, userId, (theirs) => recordEvents(theirs, workspace.id, events));
    const session = await openSession(tx, { workspaceId: workspace.id, userId, client: client.name });
    await new Attempts(tx, email, client.addressHash).succeeded();
    const isSent = mail.sends || requireVerified;
    return { session, verification: isSent ? await verificationEmail(tx, userId, publicUrl) : null };
  });
  if (verification) mail.post(verification);
  ctx.reply.session = session;
  return session;
}
