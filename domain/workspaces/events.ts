import type { Db } from '../../db/client.ts';
import type { OpenedWorkspace } from '../../db/seed.ts';
import { type NewEvent, recordEvents } from '../events/record.ts';

/** Records what a new workspace has from the start, in the transaction that opens it. */
export async function recordOpened(tx: Db, opened: OpenedWorkspace): Promise<void> {
  const { workspaceId, userId, todoListId, agentId } = opened;
  await recordEvents(tx, workspaceId, [
    { type: 'workspace.created', objectId: workspaceId },
    { type: 'member.added', objectId: userId },
    { type: 'todo_list.created', objectId: todoListId },
    { type: 'agent.created', objectId: agentId },
  ]);
}

/** The event of an open invitation that is withdrawn, or replaced by another one. */
export function invitationRevoked({ id }: { id: string }): NewEvent {
  return { type: 'invitation.revoked', objectId: id };
}
