import { z } from 'zod';
import { openWorkspace } from '../../db/seed.ts';
import { Membership, TimeZone, WorkspaceName } from '../accounts/shapes.ts';
import { op, principalOf, procedure, router } from '../base.ts';
import { Id, listOf, wholeList } from '../fields.ts';
import { invitationOperations } from './invitation-operations.ts';
import { memberOperations } from './members.ts';
import { membershipsOf, requireMember } from './membership.ts';

export const workspaces = router({
  list: procedure
    .meta(op('GET /workspaces', { id: 'listWorkspaces', access: 'session', summary: 'List your workspaces' }))
    .input(z.strictObject({}))
    .output(listOf(Membership, 'WorkspaceList'))
    .query(async ({ ctx }) => wholeList(await membershipsOf(ctx.db, principalOf(ctx).userId))),

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

  ...memberOperations,
  ...invitationOperations,
});
