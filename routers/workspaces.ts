import { z } from 'zod';
import { Membership } from '../domain/accounts/shapes.ts';
import { WorkspaceCreateParams, WorkspaceList, WorkspaceUpdateParams } from '../domain/workspaces/shapes.ts';
import { createWorkspace, listWorkspaces, updateWorkspace } from '../domain/workspaces/workspaces.ts';
import { op, procedure, router } from './base.ts';
import { invitationOperations } from './invitations.ts';
import { memberOperations } from './members.ts';

export const workspaces = router({
  list: procedure
    .meta(
      op('GET /workspaces', {
        id: 'listWorkspaces',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'List your workspaces',
        description:
          'Lists the workspaces that you are a member of, oldest first, with your role in each. A session opens one of them at a time: move it with switchWorkspace.',
      }),
    )
    .input(z.strictObject({}))
    .output(WorkspaceList)
    .query(({ ctx }) => listWorkspaces(ctx)),

  create: procedure
    .meta(
      op('POST /workspaces', {
        id: 'createWorkspace',
        access: 'session',
        summary: 'Create another workspace',
        description:
          'Creates a workspace that you own, with a default list and a default agent. It starts with as many agent minutes as the operator of the service has set for further workspaces, by default none. This session stays where it is: use switchWorkspace to work in the new one. A person owns at most 100.',
        status: 201,
        etag: true,
        statuses: [409],
        events: ['workspace.created', 'member.added', 'todo_list.created', 'agent.created'],
      }),
    )
    .input(WorkspaceCreateParams)
    .output(Membership)
    .mutation(({ ctx, input }) => createWorkspace(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /workspaces/{workspaceId}', {
        id: 'updateWorkspace',
        access: 'session',
        summary: 'Change a workspace',
        description:
          'Changes the name, the time zone, and whether members need a second factor; only owners may. For the last of these, the last sign-in or `reauthenticate` of this session must be less than 10 minutes ago. The time zone is the default of new schedules; existing ones keep theirs.',
        etag: true,
        statuses: [409],
        events: ['workspace.updated'],
      }),
    )
    .input(WorkspaceUpdateParams)
    .output(Membership)
    .mutation(({ ctx, input }) => updateWorkspace(ctx, input)),

  ...memberOperations,
  ...invitationOperations,
});
