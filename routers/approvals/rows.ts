import type { KeyObject } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { storable, storableJson } from '../chats/messages.ts';
import type { World } from '../chats/turns.ts';
import { type Failure, notFound } from '../errors.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import type { ApprovalAnswer, ApprovalFilter } from './shapes.ts';

/** How long a person has to decide. */
const days = 7;

/** A row of `approvals`: the answer, and the turn that waits for it. */
export interface ApprovalRow extends Omit<ApprovalAnswer, 'object'> {
  turnId: string;
}

/** The columns of an approval, from the relation `approvals`. */
export const approvalColumns = `id, chat_id as "chatId", turn_id as "turnId", todo_id as "todoId", agent_id as "agentId",
  message_sequence as "messageSequence", tool_name as "toolName", title, input, reason, status,
  requested_at as "requestedAt", expires_at as "expiresAt", decided_at as "decidedAt", decided_by as "decidedBy", note`;

export function approvalOf({ turnId: _, ...row }: ApprovalRow): ApprovalAnswer {
  return { object: 'approval', ...row };
}

/** 404 for an approval that the workspace does not have. */
export function noApproval(): Failure {
  return notFound('approval', 'approvalId');
}

const one = `select ${approvalColumns} from approvals where workspace_id = $1 and id = $2`;

/** @throws Failure 404 when the workspace has no such approval. */
export async function findApproval(db: Db, workspaceId: string, approvalId: string): Promise<ApprovalRow> {
  const [row] = await db.rows<ApprovalRow>(one, [workspaceId, approvalId]);
  if (!row) throw noApproval();
  return row;
}

export interface ApprovalQuery extends ApprovalFilter {
  limit: number;
  cursor?: string | undefined;
}

/** A page of approvals, newest first. @throws Failure 400 `invalid_cursor`. */
export async function listApprovals(db: Db, key: KeyObject, workspaceId: string, query: ApprovalQuery) {
  const { limit, cursor, status, chatId, agentId } = query;
  const order = { operation: 'listApprovals', sort: 'requestedAt', order: 'desc' };
  const scope: CursorScope = { key, workspaceId, ...order, filters: { status, chatId, agentId } };
  const bindings = new Bindings();
  const where = [`workspace_id = ${bindings.bind(workspaceId)}`];
  // Spelt out, not bound: the index of the pending ones serves only a statement that says so.
  if (status !== undefined) where.push(`status = '${status}'`);
  if (chatId !== undefined) where.push(`chat_id = ${bindings.bind(chatId)}`);
  if (agentId !== undefined) where.push(`agent_id = ${bindings.bind(agentId)}`);
  if (cursor !== undefined) {
    const [requestedAt, id] = positionOf(scope, cursor);
    where.push(`(requested_at, id) < (${bindings.bind(requestedAt)}::timestamptz, ${bindings.bind(id)})`);
  }
  const text = `select ${approvalColumns} from approvals where ${where.join(' and ')}
    order by requested_at desc, id desc limit ${bindings.bind(limit + 1)}`;
  const rows = await db.rows<ApprovalRow>(text, bindings.values);
  const page = pageOf(rows, limit, scope, (row) => [row.requestedAt, row.id]);
  return { object: 'list' as const, ...page, data: page.data.map(approvalOf) };
}

/** A tool call that a person must agree to. */
export interface Asked {
  workspaceId: string;
  chatId: string;
  turnId: string;
  todoId: string | null;
  agentId: string;
  /** The message that holds the call. */
  messageSequence: number;
  toolCallId: string;
  toolName: string;
  /** What the agent wants to do, as the tool is titled. */
  title: string;
  input: unknown;
  /** As `approvalReason` gives it. */
  reason: string;
}

const insert = `insert into approvals (workspace_id, id, chat_id, turn_id, todo_id, agent_id, message_sequence,
    tool_call_id, tool_name, title, input, reason, requested_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13, $14)`;

/**
 * Asks a person to agree to a tool call, in the transaction of the step that saves the call; `db` is that transaction.
 * Returns the id of the approval. The status of the chat is the caller's to set.
 */
export async function requestApproval({ db, clock }: Pick<World, 'db' | 'clock'>, asked: Asked): Promise<string> {
  const id = newId();
  const { workspaceId, chatId, turnId, todoId, agentId, messageSequence } = asked;
  const now = clock();
  const until = new Date(now.getTime() + days * 86_400_000);
  const call = [asked.toolCallId, asked.toolName, asked.title].map(storable);
  const question = [storableJson(asked.input ?? {}), storable(asked.reason), now.toISOString(), until.toISOString()];
  const key = [workspaceId, id, chatId, turnId, todoId, agentId, messageSequence];
  await db.rows(insert, [...key, ...call, ...question]);
  return id;
}
