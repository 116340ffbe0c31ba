import { isDeepStrictEqual } from 'node:util';
import { Bindings } from '../../db/bindings.ts';
import { fieldsOfMessages, gotMessage, statusChange } from '../chats/events.ts';
import { append, type NewMessage } from '../chats/messages.ts';
import type { HeldChat } from '../chats/rows.ts';
import type { MessageBlock } from '../chats/shapes.ts';
import { resumeTurn } from '../chats/turns.ts';
import type { ServiceContext } from '../context.ts';
import { recordEvents, recordingPart } from '../events/record.ts';
import { type ChangedNotification, changedColumns, isRead, notificationEvents } from '../notifications/changes.ts';
import { approvalsDedupeKey } from '../notifications/events.ts';
import { storableJson } from '../text.ts';
import { type ApprovalRow, approvalColumns, approvalEvent } from './rows.ts';

/** The end of a pending approval whose turn continues. */
export interface Settlement {
  approval: ApprovalRow;
  status: 'approved' | 'denied' | 'expired';
  /** Null when nobody decided. */
  decidedBy: string | null;
  note: string | null;
  /** The input that replaces that of the call. */
  input?: Record<string, unknown> | undefined;
}

const update = `update approvals set status = $3, decided_at = $4, decided_by = $5, note = $6, input = coalesce($7::jsonb, input)
  where workspace_id = $1 and id = $2 and status = 'pending' returning *`;
// Marks notifications read once all approvals of their message are settled.
const markRead = `update notifications n set read_at = $3::timestamptz from (
    select distinct chat_id, message_sequence from approvals where workspace_id = $1 and id = any($2::uuid[])
  ) a
  where n.workspace_id = $1 and n.dedupe = ${approvalsDedupeKey('a')}
    and n.read_at is null and not exists (
      select from approvals p where p.workspace_id = $1 and p.chat_id = a.chat_id and p.status = 'pending'
        and p.message_sequence = a.message_sequence)
  returning ${changedColumns}`;
const waiting = `select 1 from approvals where workspace_id = $1 and turn_id = $2 and status = 'pending' limit 1`;

const decisions = { approved: 'approve', denied: 'deny', expired: 'expired' } as const;

/** The input that a person changed the call to; undefined when it is that of the call. */
function editedInput({ approval, input }: Settlement): Record<string, unknown> | undefined {
  return isDeepStrictEqual(input, approval.input) ? undefined : input;
}

/** The text of the message that shows a decision. */
function textOf(settlement: Settlement): string {
  const { approval, status, note } = settlement;
  const { title } = approval;
  if (status === 'expired') return `Expired without a decision: ${title}.`;
  const verdict =
    status === 'denied' ? 'Denied' : editedInput(settlement) === undefined ? 'Approved' : 'Approved with changes';
  return note === null ? `${verdict}: ${title}.` : `${verdict}: ${title}. ${note}`;
}

/** Stores the end of a pending approval, and returns it. */
async function end(ctx: ServiceContext, workspaceId: string, settlement: Settlement): Promise<ApprovalRow> {
  const { approval, status, decidedBy, note, input } = settlement;
  const json = input === undefined ? null : storableJson(input);
  const bindings = new Bindings();
  const values = [workspaceId, approval.id, status, ctx.clock().toISOString(), decidedBy, note, json];
  for (const value of values) bindings.bind(value);
  const event = approvalEvent(approval, {
    type: status === 'expired' ? 'approval.expired' : 'approval.decided',
    changedFields: [
      ...(editedInput(settlement) === undefined ? [] : ['input']),
      'status',
      'decidedAt',
      ...(decidedBy === null ? [] : ['decidedBy']),
      ...(note === null ? [] : ['note']),
    ],
  });
  const recording = recordingPart(bindings, ctx.db.origin, { events: [event], changed: 'changed', workspace: '$1' });
  const text = `with changed as (${update}), ${recording} select ${approvalColumns} from changed`;
  const [settled] = await ctx.db.rows<ApprovalRow>(text, bindings.values);
  if (!settled) throw new Error('Only a pending approval can be settled');
  return settled;
}

/** The message that shows a decision. */
function messageOf(settlement: Settlement): NewMessage {
  const { approval, status, decidedBy, note } = settlement;
  const { id: approvalId, turnId } = approval;
  const decision = { type: 'approval_decision' as const, approvalId, decision: decisions[status], note, decidedBy };
  const input = editedInput(settlement);
  const block: MessageBlock = input === undefined ? decision : { ...decision, input };
  const role = decidedBy === null ? 'system' : 'user';
  return { turnId, role, text: textOf(settlement), blocks: [block], userId: decidedBy };
}

/**
 * Settles pending approvals of a locked chat: each decision is appended as a message, notifications are marked read,
 * and the turn continues when no other approval of it is pending. Returns the settled approvals.
 */
export async function settle(
  ctx: ServiceContext,
  chat: HeldChat,
  settlements: readonly Settlement[],
): Promise<ApprovalRow[]> {
  const { db, live } = ctx;
  const { workspaceId, turn } = chat;
  const settled: ApprovalRow[] = [];
  for (const each of settlements) settled.push(await end(ctx, workspaceId, each));
  const last = settled.at(-1);
  if (!last) return [];
  const pending = await db.rows(waiting, [workspaceId, last.turnId]);
  const resumes = pending.length === 0 && chat.status === 'awaiting_input' && turn?.turnId === last.turnId;
  for (const [place, each] of settlements.entries()) {
    const isLast = place === settlements.length - 1;
    await append(db, live, chat, messageOf(each), isLast && !resumes ? gotMessage : null);
  }
  const ids = settled.map(({ id }) => id);
  const read = await db.rows<ChangedNotification>(markRead, [workspaceId, ids, ctx.clock().toISOString()]);
  await recordEvents(db, workspaceId, notificationEvents(read, isRead));
  if (resumes) await resumeTurn(ctx, chat, statusChange(...fieldsOfMessages));
  return settled;
}
