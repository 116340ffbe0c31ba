import { z } from 'zod';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { listMembers, removeMember, updateMember } from '../domain/workspaces/members.ts';
import { Member, MemberUpdateParams } from '../domain/workspaces/shapes.ts';
import { op, procedure } from './base.ts';

export const memberOperations = {
  listMembers: procedure
    .meta(
      op('GET /workspaces/{workspaceId}/members', {
        id: 'listMembers',
        access: 'session',
        summary: 'List the members of a workspace',
        description:
          'Lists the people of a workspace, the oldest member first, with the role of each. Agents are not members: see listAgents. The `id` of a member can be an assignee of a todo.',
      }),
    )
    .input(z.strictObject({ workspaceId: Id }))
    .output(listOf(Member, 'MemberList'))
    .query(({ ctx, input }) => listMembers(ctx, input)),

  updateMember: procedure
    .meta(
      op('PATCH /workspaces/{workspaceId}/members/{userId}', {
        id: 'updateMember',
        access: 'session',
        summary: 'Change the role of a member',
        description:
          'Makes a member an owner, or an owner a member; only owners may. The open invitations of an owner who becomes a member end. The last owner stays one: 409.',
        etag: true,
        statuses: [404, 409],
        events: ['member.changed', 'invitation.revoked'],
      }),
    )
    .input(MemberUpdateParams)
    .output(Member)
    .mutation(({ ctx, input }) => updateMember(ctx, input)),

  removeMember: procedure
    .meta(
      op('DELETE /workspaces/{workspaceId}/members/{userId}', {
        id: 'removeMember',
        access: 'session',
        summary: 'Remove a member, or leave',
        description:
          'Owners may remove anybody, and every member may leave. The sessions, keys, grants and open invitations of that person in this workspace end at once, and so do open invitations to their address. Their webhooks are disabled, and the owners are notified of that. Their todos stay; the last owner cannot leave (409).',
        etag: true,
        statuses: [404, 409],
        events: [
          'member.removed',
          'api_key.revoked',
          'connected_app.revoked',
          'invitation.revoked',
          'webhook_endpoint.updated',
          'notification.created',
        ],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, userId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => removeMember(ctx, input)),
};
