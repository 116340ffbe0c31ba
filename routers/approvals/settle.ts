import { append, storableJson } from '../chats/messages.ts';
import type { HeldChat } from '../chats/rows.ts';
import type { MessageBlock } from '../chats/shapes.ts';
import { resumeTurn, type World } from '../chats/turns.ts';
import { approvalsNews } from '../notifications/events.ts';
import { type ApprovalRow, approvalColumns } from './rows.ts';

/** How a pending approval ends while its turn goes on. */
export interface Settlement {
  status: 'approved' | 'denied' | 'expired';
  /** Null when nobody decided. */
  decidedBy: string | null;
  note: string | null;
  /** What the tool is called with instead. */
  input?: Record<string, unknown> | undefined;
}

const update = `update approvals set status = $3, decided_at = $4, decided_by = $5, note = $6, input = coalesce($7::jsonb, input)
  where workspace_id = $1 and id = $2 and status = 'pending' returning ${approvalColumns}`;
// Nobody need look at it any more, once all that was asked in one message is settled.
const readNews = `update notifications n set read_at = $3::timestamptz from approvals a
  where a.workspace_id = $1 and a.id = $2 and n.workspace_id = $1 and n.dedupe = ${approvalsNews('a')}
    and n.read_at is null and not exists (
      select from approvals p where p.workspace_id = $1 and p.chat_id = a.chat_id and p.status = 'pending'
        and p.message_sequence = a.message_sequence)`;
const waiting = `select 1 from approvals where workspace_id = $1 and turn_id = $2 and status = 'pending' limit 1`;

const decisions = { approved: 'approve', denied: 'deny', expired: 'expired' } as const;

/** What the chat shows of a decision. */
function textOf({ title }: ApprovalRow, { status, note, input }: Settlement): string {
  if (status === 'expired') return `Expired, nobody decided: ${title}.`;
  const verdict = status === 'denied' ? 'Denied' : input === undefined ? 'Approved' : 'Approved with changes';
  return note === null ? `${verdict}: ${title}.` : `${verdict}: ${title}. ${note}`;
}

/**
 * Settles a pending approval of a chat that is locked: the decision becomes a new message of it, people have read the
 * news of it, and with the last one that was pending the turn goes on. Returns the approval as it is then.
 */
export async function settle(
  world: World,
  chat: HeldChat,
  approval: ApprovalRow,
  settlement: Settlement,
): Promise<ApprovalRow> {
  const { workspaceId } = chat;
  const { id: approvalId, turnId } = approval;
  const { status, decidedBy, note, input } = settlement;
  const json = input === undefined ? null : storableJson(input);
  const values = [workspaceId, approvalId, status, world.clock().toISOString(), decidedBy, note, json];
  const [settled] = await world.db.rows<ApprovalRow>(update, values);
  if (!settled) throw new Error('An approval that is not pending was settled');
  const block: MessageBlock = { type: 'approval_decision', approvalId, decision: decisions[status], note, decidedBy };
  const role = decidedBy === null ? 'system' : 'user';
  const text = textOf(approval, settlement);
  await append(world.db, world.live, chat, { turnId, role, text, blocks: [block], userId: decidedBy });
  const [, [pending]] = await Promise.all([
    world.db.rows(readNews, [workspaceId, approvalId, world.clock().toISOString()]),
    world.db.rows(waiting, [workspaceId, turnId]),
  ]);
  if (!pending && chat.status === 'awaiting_input' && chat.turn?.turnId === turnId) await resumeTurn(world, chat);
  return settled;
}
