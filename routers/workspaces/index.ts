import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { revokeGrantsOf } from '../../db/grants.ts';
import { openWorkspace } from '../../db/seed.ts';
import { noAccess } from '../accounts/sessions.ts';
import {
  Email,
  LetterToken,
  Membership,
  Role,
  shownEmail,
  shownName,
  TimeZone,
  WorkspaceName,
} from '../accounts/shapes.ts';
import { op, principalOf, procedure, router } from '../base.ts';
import { conflict, Failure, notFound } from '../errors.ts';
import { DeletedResource, Id, Instant, listOf, wholeList } from '../fields.ts';
import { acceptInvitation, Invitation, invite, listInvitations, revokeInvitation } from './invitations.ts';

const Member = z
  .object({
    object: z.literal('member'),
    id: Id.describe('Of the user.'),
    name: shownName,
    email: shownEmail,
    role: Role,
    createdAt: Instant.describe('Since when a member.'),
  })
  .meta({ id: 'Member' });

type MemberRow = Omit<z.infer<typeof Member>, 'object'>;
type MembershipAnswer = z.infer<typeof Membership>;
type MembershipRow = Omit<MembershipAnswer, 'object' | 'agentMinutesRemaining'> & { agentMinutes: string };

const memberships = `select w.id, w.name, w.timezone, w.agent_minutes as "agentMinutes", m.role, w.created_at as "createdAt"
  from members m join workspaces w on w.id = m.workspace_id where m.user_id = $1 and m.removed_at is null`;
const membersOf = `select u.id, u.name, u.email, m.role, m.created_at as "createdAt"
  from members m join users u on u.id = m.user_id where m.workspace_id = $1 and m.removed_at is null`;
const lockOwners = `select user_id as id from members
  where workspace_id = $1 and role = 'owner' and removed_at is null order by user_id for update`;
const remove = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
const revokeAll = `update credentials set revoked_at = now() where workspace_id = $1 and user_id = $2 and revoked_at is null`;

function membership({ agentMinutes, ...row }: MembershipRow): MembershipAnswer {
  return { object: 'workspace', ...row, agentMinutesRemaining: Number(agentMinutes) };
}

/** The workspace as this member sees it. @throws Failure 403 when the person is no member; 403 when an owner is needed. */
async function requireMember(db: Db, userId: string, workspaceId: string, owner = false): Promise<MembershipAnswer> {
  const [row] = await db.rows<MembershipRow>(`${memberships} and m.workspace_id = $2`, [userId, workspaceId]);
  if (!row) throw noAccess();
  if (!owner || row.role === 'owner') return membership(row);
  const message = 'Only an owner of the workspace may do this. Ask one of them.';
  throw new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'owner_required' });
}

/** @throws Failure 404 when the person is no member of the workspace. */
async function findMember(db: Db, workspaceId: string, userId: string) {
  const [row] = await db.rows<MemberRow>(`${membersOf} and m.user_id = $2`, [workspaceId, userId]);
  if (!row) throw notFound('member', 'userId');
  return { object: 'member' as const, ...row };
}

/** With the owners locked: that somebody else owns the workspace when `userId` no longer does. @throws Failure 409. */
async function requireAnotherOwner(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const owners = await tx.rows<{ id: string }>(lockOwners, [workspaceId]);
  if (owners.some((owner) => owner.id !== userId) || !owners.some((owner) => owner.id === userId)) return;
  throw conflict('A workspace keeps at least one owner. Make another member an owner first.');
}

export const workspaces = router({
  list: procedure
    .meta(op('GET /workspaces', { id: 'listWorkspaces', access: 'session', summary: 'List your workspaces' }))
    .input(z.strictObject({}))
    .output(listOf(Membership, 'WorkspaceList'))
    .query(async ({ ctx }) => {
      const rows = await ctx.db.rows<MembershipRow>(`${memberships} order by w.created_at, w.id`, [
        principalOf(ctx).userId,
      ]);
      return wholeList(rows.map(membership));
    }),

  create: procedure
    .meta(
      op('POST /workspaces', {
        id: 'createWorkspace',
        access: 'session',
        summary: 'Make another workspace',
        status: 201,
      }),
    )
    .input(
      z.strictObject({ name: WorkspaceName, timezone: TimeZone.default('UTC') }).meta({ id: 'WorkspaceCreateParams' }),
    )
    .output(Membership)
    .mutation(({ ctx, input }) => {
      const { userId } = principalOf(ctx);
      return ctx.db.transaction(async (tx) => {
        const workspaceId = await openWorkspace(tx, { userId, ...input, agentMinutes: ctx.service.agentMinutes });
        return requireMember(tx, userId, workspaceId);
      });
    }),

  update: procedure
    .meta(
      op('PATCH /workspaces/{workspaceId}', {
        id: 'updateWorkspace',
        access: 'session',
        summary: 'Rename a workspace or set its time zone',
      }),
    )
    .input(
      z
        .strictObject({ workspaceId: Id, name: WorkspaceName.optional(), timezone: TimeZone.optional() })
        .meta({ id: 'WorkspaceUpdateParams' }),
    )
    .output(Membership)
    .mutation(async ({ ctx, input: { workspaceId, name, timezone } }) => {
      const { userId } = principalOf(ctx);
      await requireMember(ctx.db, userId, workspaceId, true);
      const text = 'update workspaces set name = coalesce($2, name), timezone = coalesce($3, timezone) where id = $1';
      await ctx.db.rows(text, [workspaceId, name ?? null, timezone ?? null]);
      return requireMember(ctx.db, userId, workspaceId);
    }),

  listMembers: procedure
    .meta(
      op('GET /workspaces/{workspaceId}/members', {
        id: 'listMembers',
        access: 'session',
        summary: 'List the members of a workspace',
      }),
    )
    .input(z.strictObject({ workspaceId: Id }))
    .output(listOf(Member, 'MemberList'))
    .query(async ({ ctx, input }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, input.workspaceId);
      const rows = await ctx.db.rows<MemberRow>(`${membersOf} order by m.created_at, u.id`, [input.workspaceId]);
      return wholeList(rows.map((row) => ({ object: 'member' as const, ...row })));
    }),

  updateMember: procedure
    .meta(
      op('PATCH /workspaces/{workspaceId}/members/{userId}', {
        id: 'updateMember',
        access: 'session',
        summary: 'Change the role of a member',
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, userId: Id, role: Role }).meta({ id: 'MemberUpdateParams' }))
    .output(Member)
    .mutation(async ({ ctx, input: { workspaceId, userId, role } }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, workspaceId, true);
      return ctx.db.transaction(async (tx) => {
        await findMember(tx, workspaceId, userId);
        if (role !== 'owner') await requireAnotherOwner(tx, workspaceId, userId);
        await tx.rows('update members set role = $3 where workspace_id = $1 and user_id = $2', [
          workspaceId,
          userId,
          role,
        ]);
        return findMember(tx, workspaceId, userId);
      });
    }),

  removeMember: procedure
    .meta(
      op('DELETE /workspaces/{workspaceId}/members/{userId}', {
        id: 'removeMember',
        access: 'session',
        summary: 'Remove a member, or leave',
        description: 'The sessions, keys and grants of that person in this workspace end at once.',
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, userId: Id }))
    .output(DeletedResource)
    .mutation(async ({ ctx, input: { workspaceId, userId } }) => {
      const principal = principalOf(ctx);
      await requireMember(ctx.db, principal.userId, workspaceId, userId !== principal.userId);
      return ctx.db.transaction(async (tx) => {
        await findMember(tx, workspaceId, userId);
        await requireAnotherOwner(tx, workspaceId, userId);
        await tx.rows(remove, [workspaceId, userId]);
        await revokeGrantsOf(tx, workspaceId, userId);
        await tx.rows(revokeAll, [workspaceId, userId]);
        return { object: 'deleted' as const, id: userId, deleted: true as const, recoverable: false };
      });
    }),

  listInvitations: procedure
    .meta(
      op('GET /workspaces/{workspaceId}/invitations', {
        id: 'listInvitations',
        access: 'session',
        summary: 'List the open invitations',
      }),
    )
    .input(z.strictObject({ workspaceId: Id }))
    .output(listOf(Invitation, 'InvitationList'))
    .query(async ({ ctx, input }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, input.workspaceId);
      return wholeList(await listInvitations(ctx.db, input.workspaceId));
    }),

  invite: procedure
    .meta(
      op('POST /workspaces/{workspaceId}/invitations', {
        id: 'inviteMember',
        access: 'session',
        summary: 'Invite somebody by e-mail',
        description: 'Replaces an open invitation of the same address. Valid for seven days.',
        status: 201,
        statuses: [409],
      }),
    )
    .input(
      z
        .strictObject({ workspaceId: Id, email: Email, role: Role.default('member') })
        .meta({ id: 'InvitationCreateParams' }),
    )
    .output(Invitation)
    .mutation(async ({ ctx, input: { workspaceId, ...request } }) => {
      const { userId } = principalOf(ctx);
      await requireMember(ctx.db, userId, workspaceId, true);
      const already = await ctx.db.rows(`${membersOf} and lower(u.email) = lower($2)`, [workspaceId, request.email]);
      if (already.length > 0) throw conflict('This person is a member already.', { reason: 'already_member' });
      const { invitation, letter } = await invite(ctx.db, { workspaceId, userId }, request, ctx.service.publicUrl);
      ctx.mail.post(letter);
      return invitation;
    }),

  revokeInvitation: procedure
    .meta(
      op('DELETE /workspaces/{workspaceId}/invitations/{invitationId}', {
        id: 'revokeInvitation',
        access: 'session',
        summary: 'Withdraw an invitation',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, invitationId: Id }))
    .output(DeletedResource)
    .mutation(async ({ ctx, input: { workspaceId, invitationId } }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, workspaceId, true);
      await revokeInvitation(ctx.db, workspaceId, invitationId);
      return { object: 'deleted' as const, id: invitationId, deleted: true as const, recoverable: false };
    }),

  acceptInvitation: procedure
    .meta(
      op('POST /auth/invitations/accept', {
        id: 'acceptInvitation',
        access: 'session',
        summary: 'Join a workspace by its invitation',
      }),
    )
    .input(z.strictObject({ invitationToken: LetterToken }).meta({ id: 'InvitationAcceptParams' }))
    .output(Membership)
    .mutation(({ ctx, input }) =>
      ctx.db.transaction(async (tx) => {
        const { userId } = principalOf(ctx);
        const workspaceId = await acceptInvitation(tx, input.invitationToken, userId);
        return requireMember(tx, userId, workspaceId);
      }),
    ),
});
