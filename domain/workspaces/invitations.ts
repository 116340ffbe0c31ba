import { createHash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { invitations } from '../../db/schema/index.ts';
import { requireVerifiedEmail } from '../accounts/email-verification.ts';
import { holdMembership, lockWorkspace, membership } from '../accounts/membership.ts';
import type { MembershipAnswer } from '../accounts/shapes.ts';
import type { Context } from '../context.ts';
import { conflict, Failure, invalid, notFound } from '../errors.ts';
import { recordEvent, recordEvents } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import type { Email } from '../mail.ts';
import { notifyInvited } from '../notifications/events.ts';
import { invitationRevoked } from './events.ts';
import { isMember } from './members.ts';
import { requireMember } from './membership.ts';
import type { CreatedInvitationAnswer, InvitationAnswer, NewInvitation } from './shapes.ts';

/** How long an invitation is valid. */
const days = 7;

/** Invitations of an hour: each sends an email to an address that the inviter chose. */
const maxOfWorkspace = 200;
const maxOfAddress = 20;

const columns = `id, workspace_id as "workspaceId", email, anyone_with_link as "anyoneWithLink", role, created_at as "createdAt", expires_at as "expiresAt"`;
const open = 'accepted_at is null and revoked_at is null and expires_at > now()';
const list = `select ${columns} from invitations where workspace_id = $1 and ${open} order by created_at desc, id desc`;
const supersede = `update invitations set revoked_at = now()
  where workspace_id = $1 and lower(email) = lower($2) and ${open} returning id`;
const insert = `insert into invitations
    (workspace_id, id, email, anyone_with_link, role, token_hash, invited_by, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '${days} days') returning ${columns}`;
const revoke = `update invitations set revoked_at = now() where workspace_id = $1 and id = $2 and ${open} returning id`;
const find = `select workspace_id as "workspaceId", invited_by as "invitedBy",
    anyone_with_link as "anyoneWithLink",
    anyone_with_link or exists (select from users u where u.id = $2 and lower(u.email) = lower(i.email)) as "isForThem"
  from invitations i where token_hash = $1 and ${open}`;
const holdInviter = `select 1 from members
  where workspace_id = $1 and user_id = $2 and role = 'owner' and removed_at is null for share`;
const accept = `update invitations set accepted_at = now() where workspace_id = $1 and token_hash = $2 and ${open} returning id, role`;
const join = `insert into members as m (workspace_id, user_id, role) values ($1, $2, $3)
  on conflict (workspace_id, user_id) do update set removed_at = null, role = excluded.role where m.removed_at is not null
  returning user_id as id`;
const namesOf = `select w.name, u.name as "inviter" from workspaces w, users u where w.id = $1 and u.id = $2`;

const ofLastHour = (where: string) => `select count(*)::int as count,
    ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as seconds
  from invitations where ${where} and created_at > now() - interval '1 hour'`;
const recentHere = ofLastHour('workspace_id = $1');
const recentAnywhere = ofLastHour('lower(email) = lower($1)');

type Row = Pick<
  typeof invitations.$inferSelect,
  'id' | 'workspaceId' | 'email' | 'anyoneWithLink' | 'role' | 'createdAt' | 'expiresAt'
>;

/** An open invitation. `isForThem`: this person may accept it. */
interface Found {
  workspaceId: string;
  invitedBy: string;
  anyoneWithLink: boolean;
  isForThem: boolean;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The open invitations of a workspace, newest first. @throws Failure 403 when not a member. */
export async function listInvitations({ db, principal }: Context, { workspaceId }: { workspaceId: string }) {
  await requireMember(db, principal, workspaceId);
  const rows = await db.rows<Row>(list, [workspaceId]);
  return wholeList(rows.map((row) => ({ object: 'invitation' as const, ...row })));
}

/** The link that accepts an invitation. What follows `#` stays in the browser. The page fills in the address. */
function linkOf(publicUrl: string, token: string, { email, anyoneWithLink }: Row): string {
  return `${publicUrl}/join#token=${token}${anyoneWithLink ? '' : `&email=${encodeURIComponent(email)}`}`;
}

/**
 * Stores an invitation, in place of an earlier open one of the same address. Returns it with its link and the email to
 * send.
 */
export async function invite(
  db: Db,
  by: { workspaceId: string; userId: string },
  request: Pick<NewInvitation, 'email' | 'role' | 'anyoneWithLink'>,
  publicUrl: string,
): Promise<{ invitation: InvitationAnswer; link: string; email: Email }> {
  const { workspaceId, userId } = by;
  const token = randomBytes(32).toString('base64url');
  const [names] = await db.rows<{ name: string; inviter: string }>(namesOf, [workspaceId, userId]);
  const row = await db.transaction(async (tx) => {
    const superseded = await tx.rows<{ id: string }>(supersede, [workspaceId, request.email]);
    const [made] = await tx.rows<Row>(insert, [
      workspaceId,
      newId(),
      request.email,
      request.anyoneWithLink,
      request.role,
      sha256(token),
      userId,
    ]);
    if (!made) throw new Error('the insert of an invitation returned no row');
    const created = { type: 'invitation.created' as const, objectId: made.id };
    await recordEvents(tx, workspaceId, [...superseded.map(invitationRevoked), created]);
    return made;
  });
  const oneLine = (text = '') => text.replace(/\s+/g, ' ');
  const link = linkOf(publicUrl, token, row);
  const account = row.anyoneWithLink ? '' : `\nJoin with the account of ${row.email}; you can create it there.\n`;
  const text = `${oneLine(names?.inviter)} invites you to the workspace “${oneLine(names?.name)}” in Tandem.

To join, open this link within ${days} days:
${link}
${account}`;
  const subject = `Join “${oneLine(names?.name)}” in Tandem`;
  return {
    invitation: { object: 'invitation', ...row },
    link,
    email: { kind: 'invitation', to: request.email, subject, text },
  };
}

/** Counts them under the lock of the workspace. @throws Failure 429 after many in an hour. */
async function requireFewInvitations(db: Db, workspaceId: string, email: string): Promise<void> {
  const limits = [
    { statement: recentHere, value: workspaceId, max: maxOfWorkspace, what: 'This workspace made' },
    { statement: recentAnywhere, value: email, max: maxOfAddress, what: 'This address got' },
  ];
  for (const { statement, value, max, what } of limits) {
    const [found] = await db.rows<{ count: number; seconds: number | null }>(statement, [value]);
    if (!found || found.count < max) continue;
    const retryAfterSeconds = Math.max(1, found.seconds ?? 1);
    const message = `${what} ${max} invitations in the last hour. Try again in ${Math.ceil(retryAfterSeconds / 60)} min.`;
    throw new Failure({ status: 429, code: 'rate_limit_exceeded', message, reason: 'invitations', retryAfterSeconds });
  }
}

/**
 * Invites an address: with an email, and a notification where the address has an account. An earlier open invitation of
 * the address is replaced. The inviter gets the link where the service sends no email, or where anyone may use it.
 * @throws Failure 403 when not an owner, or while the owner's address has to be verified, 409 for a member, 429 after
 * many in an hour, of the workspace or to the address.
 */
export async function inviteMember(
  ctx: Context,
  { workspaceId, ...request }: NewInvitation,
): Promise<CreatedInvitationAnswer> {
  const { userId } = ctx.principal;
  await requireMember(ctx.db, ctx.principal, workspaceId, true);
  const { invitation, link, email } = await ctx.db.transaction(async (db) => {
    // One at a time: a later one replaces the one before.
    await lockWorkspace(db, workspaceId);
    await holdMembership(db, workspaceId, ctx.principal);
    await requireMember(db, ctx.principal, workspaceId, true);
    if (await isMember(db, workspaceId, request.email)) {
      throw conflict('This person is already a member.', { reason: 'already_member' });
    }
    await requireVerifiedEmail(db, ctx.service, userId);
    await requireFewInvitations(db, workspaceId, request.email);
    const made = await invite(db, { workspaceId, userId }, request, ctx.service.publicUrl);
    await notifyInvited({ ...ctx, db }, { ...made.invitation, invitedBy: userId });
    return made;
  });
  ctx.mail.post(email);
  return { ...invitation, link: ctx.mail.sends && !invitation.anyoneWithLink ? null : link };
}

/** Withdraws an open invitation. @throws Failure 403 when not an owner, 404. */
export async function revokeInvitation(
  { db, principal }: Context,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
) {
  await db.transaction(async (tx) => {
    await holdMembership(tx, workspaceId, principal);
    await requireMember(tx, principal, workspaceId, true);
    const [revoked] = await tx.rows<{ id: string }>(revoke, [workspaceId, invitationId]);
    if (!revoked) throw notFound('open invitation', 'invitationId');
    await recordEvent(tx, workspaceId, invitationRevoked(revoked));
  });
  return { object: 'deleted' as const, id: invitationId, deleted: true as const, recoverable: false };
}

/** 403: the account has another address than the invitation, which the answer does not show. */
function otherAddress(): Failure {
  const message =
    'This invitation is for another address. Use the account of the address that it was sent to, or ask an owner to invite yours.';
  const errors = [{ param: 'invitationToken', code: 'other_address', message }];
  const reason = 'invitation_for_another_address';
  return new Failure({ status: 403, code: 'workspace_access_denied', message, reason, errors });
}

/**
 * Makes a person a member by the token of an invitation; returns the workspace. An invitation is valid only while its
 * inviter is an owner: the workspace and the inviter's membership are locked before the invitation, in the order in
 * which an invitation and a removal lock them. A member who opens a link for anyone leaves it for whom it was meant.
 * `db` is a transaction. @throws Failure 400, 403 when it is for another address.
 */
export async function joinByInvitation(db: Db, token: string, userId: string): Promise<string> {
  const spent = () =>
    invalid('invitationToken', 'This invitation was used or withdrawn, or has expired. Ask an owner for a new one.');
  const [found] = await db.rows<Found>(find, [sha256(token), userId]);
  if (!found) throw spent();
  const { workspaceId, invitedBy, anyoneWithLink, isForThem } = found;
  await lockWorkspace(db, workspaceId);
  const inviters = await db.rows(holdInviter, [workspaceId, invitedBy]);
  if (inviters.length === 0) throw spent();
  if (!isForThem) throw otherAddress();
  if (anyoneWithLink && (await db.rows(membership, [workspaceId, userId])).length > 0) return workspaceId;
  const [accepted] = await db.rows<{ id: string; role: string }>(accept, [workspaceId, sha256(token)]);
  if (!accepted) throw spent();
  const joined = await db.rows<{ id: string }>(join, [workspaceId, userId, accepted.role]);
  await recordEvents(db, workspaceId, [
    { type: 'invitation.accepted', objectId: accepted.id },
    ...joined.map(({ id }) => ({ type: 'member.added' as const, objectId: id })),
  ]);
  return workspaceId;
}

/** Makes the person a member by the token of an invitation. @throws Failure 400, 403 when it is for another address. */
export function acceptInvitation(
  ctx: Context,
  { invitationToken }: { invitationToken: string },
): Promise<MembershipAnswer> {
  const { userId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const workspaceId = await joinByInvitation(tx, invitationToken, userId);
    return requireMember(tx, { userId }, workspaceId);
  });
}
