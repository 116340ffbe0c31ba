import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { type Context, principalOf } from '../base.ts';
import { Id, Instant } from '../fields.ts';
import { textFrom } from '../tool.ts';
import { listMessages } from './list-messages.ts';
import { findChat } from './rows.ts';
import { Chat, Message, type MessageAnswer, type MessageBlock } from './shapes.ts';
import { untilSettled } from './wait.ts';

/** Characters of an answer that a message may take on average: the default page then stays below 2,000 tokens. */
const room = 600;

/** Longest text of a message as a tool shows it, and of the input or output of a call. */
const longestText = 2000;
const longestCall = 600;

/** Approvals that are shown at once; the others are counted. */
const mostApprovals = 5;

/** A message for a model: its text once, not also as a block; what its tools were given and answered in brief. */
const ToolMessage = Message.pick({
  sequence: true,
  role: true,
  text: true,
  agentId: true,
  userId: true,
  createdAt: true,
});
export const ShownMessage = ToolMessage.extend({ blocks: z.array(z.record(z.string(), z.unknown())).nullable() });

const PendingApproval = z.object({
  id: Id,
  toolName: z.string(),
  title: z.string(),
  input: z.unknown(),
  reason: z.string(),
  messageSequence: z.int(),
  requestedAt: Instant,
});

/** What the tools of chats answer about one. */
export const Conversation = z.object({
  chat: Chat,
  messages: z.array(ShownMessage),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  nextSequence: z.int(),
  pendingApprovals: z.array(PendingApproval),
  morePendingApprovals: z.int().nullable(),
});

type Shown = z.infer<typeof ShownMessage>;

/** JSON that is long, as the beginning of its text. */
function briefly(value: unknown): unknown {
  const json = JSON.stringify(value) ?? 'null';
  return json.length <= longestCall ? value : `${json.slice(0, longestCall).toWellFormed()}…`;
}

function shownBlock(block: MessageBlock): Record<string, unknown>[] {
  if (block.type === 'text') return [];
  if (block.type === 'tool_call') {
    const { type, id, name, input, approvalId } = block;
    return [{ type, id, name, input: briefly(input), approvalId }];
  }
  if (block.type !== 'tool_result') return [block];
  const { type, toolCallId, isError, output } = block;
  return [{ type, toolCallId, ...(isError && { isError }), output: briefly(output) }];
}

function shown(message: MessageAnswer): Shown {
  const { sequence, role, text, agentId, userId, createdAt } = message;
  const blocks = message.blocks.flatMap(shownBlock);
  return { sequence, role, text, blocks: blocks.length > 0 ? blocks : null, agentId, userId, createdAt };
}

function sizeOf({ text, blocks }: Shown): number {
  return 150 + Math.min(text.length, longestText) + (blocks ? JSON.stringify(blocks).length : 0);
}

/** How many of the messages fit in a page of `limit` beside `used` characters; at least one. */
function fitting(limit: number, used: number) {
  return (messages: readonly MessageAnswer[]) => {
    let size = used;
    for (const [place, message] of messages.entries()) {
      size += sizeOf(shown(message));
      if (size > room * limit) return Math.max(1, place);
    }
    return messages.length;
  };
}

const pending = `select a.id, a.tool_name as "toolName", a.title, a.input, a.reason,
    a.message_sequence as "messageSequence", a.requested_at as "requestedAt"
  from approvals a where a.workspace_id = $1 and a.chat_id = $2 and a.status = 'pending'
  order by a.requested_at, a.id`;

async function pendingIn(db: Db, workspaceId: string, chatId: string) {
  const rows = await db.rows<z.infer<typeof PendingApproval>>(pending, [workspaceId, chatId]);
  const pendingApprovals = rows.slice(0, mostApprovals).map((row) => ({ ...row, input: briefly(row.input) }));
  return { pendingApprovals, morePendingApprovals: rows.length - pendingApprovals.length || null };
}

/**
 * Seconds that the call may wait: none for an agent at work, which calls inside of a transaction, and only what is left
 * of a call that was held by a person.
 */
export function patienceOf(ctx: Context, seconds = 0): number {
  if (principalOf(ctx).kind === 'agent') return 0;
  const { until = Number.POSITIVE_INFINITY } = ctx.resumed ?? {};
  return Math.max(0, Math.min(seconds, (until - performance.now()) / 1000));
}

export interface Asked {
  chatId: string;
  limit: number;
  afterSequence: number;
  cursor?: string | undefined;
  /** Characters of the first message that the reader has already. */
  textOffset?: number;
}

/**
 * What came of a message: the chat and the messages after it, once the agent stopped or `seconds` are over.
 * @throws Failure 404 when the chat is erased meanwhile.
 */
export async function replyTo(ctx: Context, chatId: string, sequence: number, seconds: number | undefined) {
  const patience = patienceOf(ctx, seconds);
  if (patience > 0) await untilSettled(ctx, principalOf(ctx).workspaceId, chatId, patience);
  return conversation(ctx, { chatId, limit: 10, afterSequence: sequence });
}

/** A page of messages as a tool shows them, beside `used` characters. @throws Failure 400 `invalid_cursor`, 404. */
export async function shownMessages(ctx: Context, asked: Asked, used = 0) {
  const { textOffset = 0, cursor, ...page } = asked;
  const listing = { ...page, cursor, waitSeconds: 0 };
  const { workspaceId } = principalOf(ctx);
  const read = await listMessages(ctx, workspaceId, ctx.service.cursorKey, listing, fitting(asked.limit, used));
  const messages = read.messages.map(shown);
  if (messages[0]) messages[0].text = textFrom(messages[0].text, textOffset) ?? '';
  const { hasMore, nextCursor, nextSequence } = read;
  return { messages, hasMore, nextCursor, nextSequence };
}

/**
 * The chat, a page of its messages and what waits for a person. The chat is read before the messages, so that a status
 * that is settled means that none is missing. @throws Failure 400 `invalid_cursor`, 404.
 */
export async function conversation(ctx: Context, asked: Asked): Promise<z.infer<typeof Conversation>> {
  const { workspaceId } = principalOf(ctx);
  const chat = await findChat(ctx.db, workspaceId, asked.chatId);
  const waiting = await pendingIn(ctx.db, workspaceId, asked.chatId);
  const used = JSON.stringify(waiting.pendingApprovals).length;
  return { chat, ...(await shownMessages(ctx, asked, used)), ...waiting };
}
