import { z } from 'zod';
import { decideApproval } from '../domain/approvals/decide.ts';
import { listApprovals } from '../domain/approvals/list.ts';
import { getApproval } from '../domain/approvals/rows.ts';
import { Approval, ApprovalListing, ApprovalPage, DecideApproval } from '../domain/approvals/shapes.ts';
import { Id } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';

export const approvals = router({
  list: procedure
    .meta(
      op('GET /approvals', {
        id: 'listApprovals',
        scope: 'chats:read',
        summary: 'List what agents ask a person to allow',
        description:
          'Lists the actions that agents asked a person to allow, newest first: the tool, its input and the reason. With `status=pending` it lists those that are not decided. Pages by cursor; decide each with decideApproval.',
        sample: { status: 'pending' },
      }),
    )
    .input(ApprovalListing)
    .output(ApprovalPage)
    .query(({ ctx, input }) => listApprovals(ctx, input)),

  get: procedure
    .meta(
      op('GET /approvals/{approvalId}', {
        id: 'getApproval',
        scope: 'chats:read',
        summary: 'Get an approval',
        description:
          'Returns one request of an agent with the exact input that the tool would get, and the decision once there is one. Undecided requests expire after seven days, which counts as denied. Use decideApproval to decide.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ approvalId: Id }))
    .output(Approval)
    .query(({ ctx, input }) => getApproval(ctx, input)),

  decide: procedure
    .meta(
      op('POST /approvals/{approvalId}/decide', {
        id: 'decideApproval',
        scope: 'chats:write',
        summary: 'Approve or deny what an agent wants to do',
        description:
          'The agent continues once all its requests are decided. The same decision again changes nothing; another one is refused with 409, and so is a decision after the approval expired or was superseded. An agent can never decide. Approving with a `note` or with another `input` than the agent gave needs the scopes for captures too where the call reads or changes them, or names some.',
        etag: true,
        statuses: [404, 409],
        events: [
          'approval.decided',
          'approval.expired',
          'message.created',
          'chat.updated',
          'chat.status_changed',
          'notification.updated',
          'todo.updated',
        ],
      }),
    )
    .input(DecideApproval)
    .output(Approval)
    .mutation(({ ctx, input }) => decideApproval(ctx, input)),
});
