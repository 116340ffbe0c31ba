import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { Id } from '../fields.ts';
import { decideApproval } from './decide.ts';
import { approvalOf, findApproval, listApprovals } from './rows.ts';
import { Approval, ApprovalListing, ApprovalPage, DecideApproval } from './shapes.ts';

export const approvals = router({
  list: procedure
    .meta(
      op('GET /approvals', {
        id: 'listApprovals',
        scope: 'chats:read',
        summary: 'List what agents ask a person to allow',
        description: 'Newest first.',
      }),
    )
    .input(ApprovalListing)
    .output(ApprovalPage)
    .query(({ ctx, input }) => listApprovals(ctx.db, ctx.service.cursorKey, principalOf(ctx).workspaceId, input)),

  get: procedure
    .meta(
      op('GET /approvals/{approvalId}', {
        id: 'getApproval',
        scope: 'chats:read',
        summary: 'Get an approval',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ approvalId: Id }))
    .output(Approval)
    .query(async ({ ctx, input }) =>
      approvalOf(await findApproval(ctx.db, principalOf(ctx).workspaceId, input.approvalId)),
    ),

  decide: procedure
    .meta(
      op('POST /approvals/{approvalId}/decide', {
        id: 'decideApproval',
        scope: 'chats:write',
        summary: 'Approve or deny what an agent wants to do',
        description:
          'The agent goes on once all that it asked for is decided. The same decision again changes nothing; another one is refused with 409, like one that comes after the approval expired or was superseded. An agent can never decide.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(DecideApproval)
    .output(Approval)
    .mutation(({ ctx, input: { approvalId, ...decision } }) => decideApproval(ctx, approvalId, decision)),
});
