import { z } from 'zod';
import { Email, LetterToken, Membership, Role } from '../accounts/shapes.ts';
import { op, principalOf, procedure } from '../base.ts';
import { conflict } from '../errors.ts';
import { DeletedResource, Id, listOf, wholeList } from '../fields.ts';
import { tellInvited } from '../notifications/events.ts';
import { acceptInvitation, Invitation, invite, listInvitations, revokeInvitation } from './invitations.ts';
import { isMember } from './members.ts';
import { requireMember } from './membership.ts';

export const invitationOperations = {
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
      if (await isMember(ctx.db, workspaceId, request.email)) {
        throw conflict('This person is a member already.', { reason: 'already_member' });
      }
      const { invitation, letter } = await ctx.db.transaction(async (db) => {
        const made = await invite(db, { workspaceId, userId }, request, ctx.service.publicUrl);
        await tellInvited({ ...ctx, db }, { ...made.invitation, invitedBy: userId });
        return made;
      });
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
};
