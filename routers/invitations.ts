import { z } from 'zod';
import { Membership } from '../domain/accounts/shapes.ts';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { acceptInvitation, inviteMember, listInvitations, revokeInvitation } from '../domain/workspaces/invitations.ts';
import {
  CreatedInvitation,
  Invitation,
  InvitationAcceptParams,
  InvitationCreateParams,
} from '../domain/workspaces/shapes.ts';
import { op, procedure } from './base.ts';

export const invitationOperations = {
  listInvitations: procedure
    .meta(
      op('GET /workspaces/{workspaceId}/invitations', {
        id: 'listInvitations',
        access: 'session',
        summary: 'List the open invitations',
        description:
          'Lists the invitations that nobody has accepted yet and that have not expired, newest first. The links are not shown again: to send a new one, call inviteMember with the same address, which replaces the invitation.',
      }),
    )
    .input(z.strictObject({ workspaceId: Id }))
    .output(listOf(Invitation, 'InvitationList'))
    .query(({ ctx, input }) => listInvitations(ctx, input)),

  invite: procedure
    .meta(
      op('POST /workspaces/{workspaceId}/invitations', {
        id: 'inviteMember',
        access: 'session',
        summary: 'Invite a person by e-mail',
        description:
          'Replaces an open invitation of the same address. Valid for seven days, and only while you are an owner. Only an account with this address can accept it, unless `anyoneWithLink` is true. Where the service sends no email, hand over the `link` of the answer. A workspace makes at most 200 in an hour, and an address gets at most 20: 429.',
        status: 201,
        statuses: [409],
        events: ['invitation.revoked', 'invitation.created', 'notification.created'],
      }),
    )
    .input(InvitationCreateParams)
    .output(CreatedInvitation)
    .mutation(({ ctx, input }) => inviteMember(ctx, input)),

  revokeInvitation: procedure
    .meta(
      op('DELETE /workspaces/{workspaceId}/invitations/{invitationId}', {
        id: 'revokeInvitation',
        access: 'session',
        summary: 'Withdraw an invitation',
        description:
          'Ends an open invitation, whose link is refused from then on; only owners may. A person who has already accepted is a member: use removeMember.',
        statuses: [404],
        events: ['invitation.revoked'],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, invitationId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => revokeInvitation(ctx, input)),

  acceptInvitation: procedure
    .meta(
      op('POST /auth/invitations/accept', {
        id: 'acceptInvitation',
        access: 'session',
        summary: 'Join a workspace by its invitation',
        description:
          'Makes you a member of the workspace of the invitation, with its role. This session stays in its workspace: use switchWorkspace to open the new one. An invitation that is bound to the address of another account is refused with 403, reason `invitation_for_another_address`. Without an account, pass the token to signUp instead.',
        events: ['invitation.accepted', 'member.added'],
      }),
    )
    .input(InvitationAcceptParams)
    .output(Membership)
    .mutation(({ ctx, input }) => acceptInvitation(ctx, input)),
};
