import type { Db } from '../../db/client.ts';
import type { members, users } from '../../db/schema/index.ts';
import { requireVerifiedEmail } from '../accounts/email-verification.ts';
import { requireValidCredential, type Visitor } from '../accounts/membership.ts';
import { revokeKeysAndAppsIn } from '../accounts/revoke-access.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordEvent, recordEvents } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import { queueSecurityNotice, quotedInNotice } from '../notifications/security-notice.ts';
import { removeSubscriptionsOfMember } from '../push/subscriptions.ts';
import { disableEndpointsOfLeaver } from '../webhooks/disable.ts';
import { invitationRevoked } from './events.ts';
import { requireMember } from './membership.ts';
import { Member, type MemberAnswer, type MemberChanges } from './shapes.ts';

type MemberRow = Pick<typeof users.$inferSelect, 'id' | 'name' | 'email'> &
  Pick<typeof members.$inferSelect, 'role' | 'createdAt'>;

const membersOf = `select u.id, u.name, u.email, m.role, m.created_at as "createdAt"
  from members m join users u on u.id = m.user_id where m.workspace_id = $1 and m.removed_at is null`;
const lockOwners = `select user_id as id from members
  where workspace_id = $1 and role = 'owner' and removed_at is null order by user_id for update`;
const setRole = 'update members set role = $3 where workspace_id = $1 and user_id = $2';
const remove = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
const revokeSessions = `update credentials set revoked_at = now() where workspace_id = $1 and user_id = $2 and revoked_at is null`;

const withdraw = `update invitations set revoked_at = now()
  where workspace_id = $1 and invited_by = $2 and accepted_at is null and revoked_at is null
  returning id, expires_at > now() as "wasOpen"`;
const withdrawOf = `update invitations set revoked_at = now()
  where workspace_id = $1 and lower(email) = lower($2) and not anyone_with_link and accepted_at is null and revoked_at is null
  returning id, expires_at > now() as "wasOpen"`;

/** Whether a member of the workspace has this address, ignoring case. */
export async function isMember(db: Db, workspaceId: string, email: string): Promise<boolean> {
  return (await db.rows(`${membersOf} and lower(u.email) = lower($2)`, [workspaceId, email])).length > 0;
}

/** @throws Failure 404 when the person is not a member of the workspace. */
async function findMember(db: Db, workspaceId: string, userId: string): Promise<MemberAnswer> {
  const [row] = await db.rows<MemberRow>(`${membersOf} and m.user_id = $2`, [workspaceId, userId]);
  if (!row) throw notFound('member', 'userId');
  return { object: 'member', ...row };
}

type Owners = readonly { id: string }[];

/** Whoever leaves a workspace needs no second factor for it. */
const visitorOf = (principal: Principal, needsOwner: boolean): Visitor =>
  needsOwner ? principal : { userId: principal.userId };

/**
 * Locks the owners, so that changes of members come one after the other, and returns them. Checks again what the caller
 * may do: the change before may have removed the caller, or taken its role. @throws Failure 401, 403.
 */
async function holdOwners(tx: Db, principal: Principal, workspaceId: string, needsOwner: boolean): Promise<Owners> {
  const owners = await tx.rows<{ id: string }>(lockOwners, [workspaceId]);
  await requireMember(tx, visitorOf(principal, needsOwner), workspaceId, needsOwner);
  await requireValidCredential(tx, principal);
  return owners;
}

/** Checks that an owner is left when `userId` no longer is one. @throws Failure 409. */
function requireAnotherOwner(owners: Owners, userId: string): void {
  if (owners.some((owner) => owner.id !== userId) || !owners.some((owner) => owner.id === userId)) return;
  throw conflict('A workspace needs at least one owner. Make another member an owner first.');
}

/** The members of a workspace, the oldest first. @throws Failure 403 when not one of them. */
export async function listMembers({ db, principal }: Context, { workspaceId }: { workspaceId: string }) {
  await requireMember(db, principal, workspaceId);
  const rows = await db.rows<MemberRow>(`${membersOf} order by m.created_at, u.id`, [workspaceId]);
  return wholeList(rows.map((row) => ({ object: 'member' as const, ...row })));
}

/** Ends invitations, by a statement. Those that had expired are in no list. */
async function endInvitations(tx: Db, statement: string, values: readonly [string, string]): Promise<void> {
  const ended = await tx.rows<{ id: string; wasOpen: boolean }>(statement, values);
  const open = ended.filter(({ wasOpen }) => wasOpen);
  await recordEvents(tx, values[0], open.map(invitationRevoked));
}

/** Ends the invitations of a person who may no longer invite. */
function withdrawInvitations(tx: Db, workspaceId: string, userId: string): Promise<void> {
  return endInvitations(tx, withdraw, [workspaceId, userId]);
}

const noticeRole = (role: string) => (role === 'owner' ? 'You are an owner now' : 'You are no longer an owner');

/**
 * Changes the role of a member, and notifies them by email; the open invitations of an owner who becomes a member end.
 * @throws Failure 403 when not an owner, or when one who has yet to verify their address makes another owner, 404, 409
 * for the last owner, 412.
 */
export async function updateMember(ctx: Context, { workspaceId, userId, role }: MemberChanges): Promise<MemberAnswer> {
  const { db, principal } = ctx;
  const { name } = await requireMember(db, principal, workspaceId, true);
  return db.transaction(async (tx) => {
    const owners = await holdOwners(tx, principal, workspaceId, true);
    const member = await findMember(tx, workspaceId, userId);
    requireMatch(ctx.ifMatch, Member, member);
    if (role === member.role) return member;
    if (role === 'owner') await requireVerifiedEmail(tx, ctx.service, principal.userId);
    if (role !== 'owner') requireAnotherOwner(owners, userId);
    await tx.rows(setRole, [workspaceId, userId, role]);
    await recordEvent(tx, workspaceId, { type: 'member.changed', objectId: member.id, changedFields: ['role'] });
    if (role !== 'owner') await withdrawInvitations(tx, workspaceId, userId);
    const text = `Your role in the workspace ${quotedInNotice(name)} is now: ${role}.`;
    await queueSecurityNotice({ ...ctx, db: tx }, { userId, workspaceId, title: noticeRole(role), text });
    return findMember(tx, workspaceId, userId);
  });
}

/**
 * Removes a member, whose sessions, keys, grants, webhooks, open invitations and subscribed browsers in the workspace
 * end at once, as do invitations of their address, and notifies them by email. Members may remove themselves, owners
 * anybody. @throws Failure 403, 404, 409 for the last owner, 412.
 */
export async function removeMember(ctx: Context, { workspaceId, userId }: { workspaceId: string; userId: string }) {
  const { db, principal } = ctx;
  const needsOwner = userId !== principal.userId;
  const { name } = await requireMember(db, visitorOf(principal, needsOwner), workspaceId, needsOwner);
  return db.transaction(async (tx) => {
    const owners = await holdOwners(tx, principal, workspaceId, needsOwner);
    const member = await findMember(tx, workspaceId, userId);
    requireMatch(ctx.ifMatch, Member, member);
    requireAnotherOwner(owners, userId);
    await tx.rows(remove, [workspaceId, userId]);
    await recordEvent(tx, workspaceId, { type: 'member.removed', objectId: member.id });
    await revokeKeysAndAppsIn(tx, workspaceId, userId);
    await tx.rows(revokeSessions, [workspaceId, userId]);
    await removeSubscriptionsOfMember(tx, workspaceId, userId);
    await disableEndpointsOfLeaver({ ...ctx, db: tx }, userId, workspaceId);
    await withdrawInvitations(tx, workspaceId, userId);
    // Those to the person would let them back in.
    await endInvitations(tx, withdrawOf, [workspaceId, member.email]);
    const text = `You are no longer a member of the workspace ${quotedInNotice(name)}. Your sessions, API keys and apps there were ended.`;
    await queueSecurityNotice({ ...ctx, db: tx }, { userId, workspaceId, title: 'You left a workspace', text });
    return { object: 'deleted' as const, id: userId, deleted: true as const, recoverable: false };
  });
}
