import { z } from 'zod';
import { pendingApprovals } from '../../domain/approvals/rows.ts';
import { readMessages } from '../../domain/chats/list-messages.ts';
import { getChat } from '../../domain/chats/rows.ts';
import { Chat, Message, type MessageAnswer, type MessageBlock } from '../../domain/chats/shapes.ts';
import { untilSettled } from '../../domain/chats/wait.ts';
import type { Context } from '../../domain/context.ts';
import { Id, Instant } from '../../domain/fields.ts';
import { textFrom } from './tool.ts';

/** Characters per message of a page on average: the default page is then below 2,000 tokens. */
const maxAverage = 600;

/** Characters shown of a message, and of the input or output of a call. */
const maxText = 2000;
const maxCall = 600;

/** Approvals that are shown at once, and blocks of one type in a message; the others are counted. */
const maxApprovals = 5;
const maxBlocks = 8;

/** A message for a model: its text once, not also as a block; inputs and outputs of tools shortened. */
const ToolMessage = Message.pick({
  sequence: true,
  role: true,
  text: true,
  agentId: true,
  userId: true,
  createdAt: true,
});
export const ShownMessage = ToolMessage.extend({
  blocks: z.array(z.record(z.string(), z.unknown())).nullable(),
  moreBlocks: z.int().nullable(),
});

const PendingApproval = z.object({
  id: Id,
  toolName: z.string(),
  title: z.string(),
  input: z.unknown(),
  reason: z.string(),
  messageSequence: z.int(),
  requestedAt: Instant,
});

/** The answer of the tools about one chat. */
export const Conversation = z.object({
  chat: Chat,
  messages: z.array(ShownMessage),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  nextSequence: z.int(),
  pendingApprovals: z.array(PendingApproval),
  morePendingApprovals: z.int().nullable(),
});

/** The answer of the tools that start work: the conversation, or only what was made where that could not be read. */
export const Work = Conversation.partial().extend({ chatId: Id.optional(), note: z.string().optional() });

type Shown = z.infer<typeof ShownMessage>;

/** Long JSON as the beginning of its text. */
function briefly(value: unknown): unknown {
  const json = JSON.stringify(value) ?? 'null';
  return json.length <= maxCall ? value : `${json.slice(0, maxCall).toWellFormed()}…`;
}

function shownBlock(block: Exclude<MessageBlock, { type: 'text' }>): Record<string, unknown> {
  if (block.type === 'tool_call') {
    const { type, id, name, input, approvalId } = block;
    return { type, id, name, input: briefly(input), approvalId };
  }
  if (block.type === 'approval_decision') {
    return block.input === undefined ? block : { ...block, input: briefly(block.input) };
  }
  if (block.type !== 'tool_result') return block;
  const { type, toolCallId, isError, output } = block;
  // Where this is the output of a tool itself, it is marked by this as well.
  const quotes = block.quotesCaptures !== false && { quotesCaptures: true };
  return { type, toolCallId, ...(isError && { isError }), ...quotes, output: briefly(output) };
}

function shown(message: MessageAnswer): Shown {
  const { sequence, role, text, agentId, userId, createdAt } = message;
  const blocks = message.blocks.filter((block) => block.type !== 'text');
  const seen = new Map<string, number>();
  const first = blocks.filter(({ type }) => {
    const count = (seen.get(type) ?? 0) + 1;
    seen.set(type, count);
    return count <= maxBlocks;
  });
  const shownBlocks = first.length > 0 ? first.map(shownBlock) : null;
  const moreBlocks = blocks.length - first.length || null;
  return { sequence, role, text, blocks: shownBlocks, moreBlocks, agentId, userId, createdAt };
}

function sizeOf({ text, blocks }: Shown): number {
  return 150 + Math.min(text.length, maxText) + (blocks ? JSON.stringify(blocks).length : 0);
}

/** The number of messages that fit in a page of `limit` beside `used` characters; at least one. */
function fitting(limit: number, used: number) {
  return (messages: readonly MessageAnswer[]) => {
    let size = used;
    for (const [place, message] of messages.entries()) {
      size += sizeOf(shown(message));
      if (size > maxAverage * limit) return Math.max(1, place);
    }
    return messages.length;
  };
}

async function pendingIn({ db, principal }: Context, chatId: string) {
  const rows = await pendingApprovals(db, principal.workspaceId, chatId);
  const shownApprovals = rows.slice(0, maxApprovals).map((row) => ({ ...row, input: briefly(row.input) }));
  return { pendingApprovals: shownApprovals, morePendingApprovals: rows.length - shownApprovals.length || null };
}

/**
 * Seconds that the call may wait: 0 for an agent at work, which calls inside a transaction, and only the rest of the
 * time of a call that waited for a person.
 */
export function waitOf(ctx: Context, seconds = 0): number {
  if (ctx.principal.kind === 'agent') return 0;
  const { until = Number.POSITIVE_INFINITY } = ctx.resumed ?? {};
  return Math.max(0, Math.min(seconds, (until - performance.now()) / 1000));
}

/** A page of a chat. */
export interface Page {
  chatId: string;
  limit: number;
  afterSequence: number;
  /**
   * The sequence after which the page begins when there is no cursor, instead of `afterSequence`. The next cursor still
   * belongs to the list after `afterSequence`.
   */
  start?: number;
  cursor?: string | undefined;
  /** Characters of the first message to leave out. */
  textOffset?: number;
}

const unread =
  'The work was started, but its chat could not be read afterwards. Do not repeat this call, which would start it again: get_chat shows the chat.';

/**
 * What `read` returns about work that is committed. When reading fails (the database is gone, the credential has
 * ended), the answer is `made`: after an error a model would start the work again. The error is thrown for an agent,
 * which calls inside a transaction, and for the state of a task, which is read again.
 */
export async function afterWork<Read, Made extends object>(ctx: Context, made: Made, read: () => Promise<Read>) {
  try {
    return await read();
  } catch (error) {
    if (ctx.principal.kind === 'agent' || ctx.resumed?.isTask) throw error;
    return { ...made, note: unread };
  }
}

/** A message that was sent, and what is known of its chat without reading it. */
interface Sent {
  chatId: string;
  sequence: number;
  chat?: z.infer<typeof Chat>;
}

/**
 * The chat and its messages after a sequence, once the agent stopped or `seconds` are over.
 * @throws Failure 404 when the chat is erased meanwhile.
 */
export async function replyIn(ctx: Context, { chatId, sequence }: Sent, seconds: number | undefined) {
  const wait = waitOf(ctx, seconds);
  if (wait > 0) await untilSettled(ctx, { chatId, seconds: wait });
  return conversation(ctx, { chatId, limit: 10, afterSequence: 0, start: sequence });
}

/** The reply to a message that is committed, once the agent stopped or `seconds` are over. */
export function replyTo(ctx: Context, sent: Sent, seconds: number | undefined) {
  const none = { messages: [], hasMore: false, nextSequence: sent.sequence, pendingApprovals: [] };
  const { chatId, chat } = sent;
  return afterWork(ctx, { chatId, ...(chat && { chat }), ...none }, () => replyIn(ctx, sent, seconds));
}

/** A page of messages as a tool shows them, beside `used` characters. @throws Failure 400 `invalid_cursor`, 404. */
export async function shownMessages(ctx: Context, page: Page, used = 0) {
  const { textOffset = 0, cursor, ...rest } = page;
  // Other tools return the cursor as well, but only get_chat takes it.
  const reader = { ...ctx, operation: 'get_chat' };
  const read = await readMessages(reader, { ...rest, cursor, waitSeconds: 0 }, fitting(page.limit, used));
  const messages = read.messages.map(shown);
  if (messages[0]) messages[0].text = textFrom(messages[0].text, textOffset) ?? '';
  const { hasMore, nextCursor, nextSequence } = read;
  return { messages, hasMore, nextCursor, nextSequence };
}

/**
 * The chat, a page of its messages and its pending approvals. The chat is read before the messages, so that none is
 * missing when the status shows that the agent stopped. @throws Failure 400 `invalid_cursor`, 404.
 */
export async function conversation(ctx: Context, page: Page): Promise<z.infer<typeof Conversation>> {
  const chat = await getChat(ctx, page);
  const pending = await pendingIn(ctx, page.chatId);
  const used = JSON.stringify(pending.pendingApprovals).length;
  return { chat, ...(await shownMessages(ctx, page, used)), ...pending };
}
