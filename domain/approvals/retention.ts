import type { Db } from '../../db/client.ts';
import { recordErasure } from '../events/changes.ts';
import { deleteOld, isOld, type OldRows } from '../old-rows.ts';
import { approvalEvent } from './rows.ts';

// Pending approvals have no time of decision, so they are not found. The agent reads decided ones while its turn is
// open. For the subquery of one value see `domain/todos/run-retention.ts`.
const isDue = `${isOld('a.decided_at')} and (
    select t.ended_at from chat_turns t where t.workspace_id = $1 and t.id = a.turn_id) is not null`;

const pass = `select a.id, a.requested_at as at, (${isDue}) as "isDue" from approvals a
  where a.workspace_id = $1 and ${isOld('a.requested_at')} and (a.requested_at, a.id) > ($3::timestamptz, $4::uuid)
  order by a.requested_at, a.id limit $5`;

const remove = `delete from approvals a where a.workspace_id = $1 and a.id = any($3::uuid[]) and ${isDue}
  returning a.id, a.chat_id as "chatId", a.todo_id as "todoId", a.agent_id as "agentId"`;

type DeletedApproval = Parameters<typeof approvalEvent>[0];

const approvals: OldRows = {
  pass,
  async remove(tx, workspaceId, days, ids) {
    const deleted = await tx.rows<DeletedApproval>(remove, [workspaceId, days, ids]);
    const events = deleted.map((approval) => approvalEvent(approval, { type: 'approval.deleted' }));
    await recordErasure(tx, workspaceId, events);
    return deleted.length;
  },
};

/**
 * Deletes the approvals of a workspace that were decided, or expired, longer ago than `days`, with their events; not
 * those of open turns. The messages of the chat still show what was asked and decided, and what was called. Returns how
 * many were deleted.
 */
export function deleteOldApprovals(db: Db, workspaceId: string, days: number): Promise<number> {
  return deleteOld(db, workspaceId, days, approvals);
}
