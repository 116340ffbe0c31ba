import { and, asc, eq } from 'drizzle-orm';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { approvals } from '../../db/schema/turns.ts';
import type { Context, ServiceContext } from '../context.ts';
import { type Failure, notFound } from '../errors.ts';
import { changeAndRecord, type NewEvent, parentsOf } from '../events/record.ts';
import { storable, storableJson } from '../text.ts';
import type { ApprovalAnswer } from './shapes.ts';

/** A person has this long to decide. */
const maxPendingMs = 7 * 86_400_000;

/** A row of `approvalColumns`. */
export type ApprovalRow = Omit<typeof approvals.$inferSelect, 'workspaceId' | 'toolCallId'>;

/** The columns of an approval, from the relation `approvals`. */
export const approvalColumns = `id, chat_id as "chatId", turn_id as "turnId", todo_id as "todoId", agent_id as "agentId",
  message_sequence as "messageSequence", tool_name as "toolName", title, input, reason, status,
  requested_at as "requestedAt", expires_at as "expiresAt", decided_at as "decidedAt", decided_by as "decidedBy", note`;

/** The approval of a row. */
export function approvalOf({ turnId: _, ...row }: ApprovalRow): ApprovalAnswer {
  return { object: 'approval', ...row };
}

/** The 404 for an approval that the workspace does not have. */
export function noApproval(): Failure {
  return notFound('approval', 'approvalId');
}

const one = `select ${approvalColumns} from approvals where workspace_id = $1 and id = $2`;

/** The approval of this id. @throws Failure 404 when the workspace has no such approval. */
export async function findApproval(db: Db, workspaceId: string, approvalId: string): Promise<ApprovalRow> {
  const [row] = await db.rows<ApprovalRow>(one, [workspaceId, approvalId]);
  if (!row) throw noApproval();
  return row;
}

/** Get one approval with all fields. @throws Failure 404. */
export async function getApproval({ db, principal }: Context, { approvalId }: { approvalId: string }) {
  return approvalOf(await findApproval(db, principal.workspaceId, approvalId));
}

/** The pending approvals of a chat, oldest first. */
export function pendingApprovals({ orm }: Db, workspaceId: string, chatId: string) {
  const { id, toolName, title, input, reason, messageSequence, requestedAt } = approvals;
  const inChat = and(eq(approvals.workspaceId, workspaceId), eq(approvals.chatId, chatId));
  return orm
    .select({ id, toolName, title, input, reason, messageSequence, requestedAt })
    .from(approvals)
    .where(and(inChat, eq(approvals.status, 'pending')))
    .orderBy(asc(requestedAt), asc(id));
}

/** The event of a change of an approval. */
export function approvalEvent(
  {
    id,
    chatId,
    todoId = null,
    agentId,
  }: Pick<ApprovalRow, 'id'> & Pick<ApprovalRequest, 'chatId' | 'todoId' | 'agentId'>,
  change: Pick<NewEvent, 'type' | 'changedFields'>,
): NewEvent {
  return { ...change, objectId: id, parents: parentsOf({ chatId, todoId, agentId }) };
}

/** A tool call that a person must approve. */
export type ApprovalRequest = Omit<
  typeof approvals.$inferInsert,
  'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decidedAt' | 'decidedBy' | 'note'
>;

const insert = `insert into approvals (workspace_id, id, chat_id, turn_id, todo_id, agent_id, message_sequence,
    tool_call_id, tool_name, title, input, reason, requested_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13, $14) returning id`;

/**
 * Inserts the approval of a tool call, in the transaction of the step that saves the call, and returns its id. The
 * caller sets the status of the chat.
 */
export async function requestApproval(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  call: ApprovalRequest,
): Promise<string> {
  const id = newId();
  const { workspaceId, chatId, turnId, todoId = null, agentId, messageSequence } = call;
  const now = clock();
  const until = new Date(now.getTime() + maxPendingMs);
  const key = [workspaceId, id, chatId, turnId, todoId, agentId, messageSequence];
  const names = [call.toolCallId, call.toolName, call.title].map(storable);
  const question = [storableJson(call.input ?? {}), storable(call.reason), now.toISOString(), until.toISOString()];
  await changeAndRecord(
    db,
    insert,
    [...key, ...names, ...question],
    [approvalEvent({ id, ...call }, { type: 'approval.requested' })],
  );
  return id;
}
