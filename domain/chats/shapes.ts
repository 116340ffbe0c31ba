import { z } from 'zod';
import { CursorText, Id, Instant, Limit, listOf, nonBlankText, TimeZone } from '../fields.ts';

const chatStatuses = ['queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled'] as const;
export const ChatStatus = z.enum(chatStatuses);

export const Chat = z
  .object({
    object: z.literal('chat'),
    id: Id,
    title: z
      .string()
      .nullable()
      .meta({ description: 'Generated from the first message unless given.', examples: ['Plan the launch'] }),
    subtitle: z.string().nullable().describe('One line about the state of the chat; generated.'),
    status: ChatStatus.describe('queued and running: the agent works; awaiting_input: a person must decide.'),
    agentId: Id.nullable().describe('Null for the default assistant.'),
    todoId: Id.nullable().describe('The todo that the chat works for.'),
    messageCount: z.int().meta({ examples: [4] }),
    errorMessage: z.string().nullable().describe('Set when status is failed.'),
    isArchived: z.boolean(),
    createdAt: Instant,
    lastMessageAt: Instant.nullable(),
    completedAt: Instant.nullable().describe('When the agent last finished a turn.'),
  })
  .meta({ id: 'Chat' });

export type ChatAnswer = z.infer<typeof Chat>;

const anything = z.unknown().meta({ description: 'Any JSON.', examples: [{ title: 'Buy milk' }] });
const callId = z.string().meta({ examples: ['call_1'] });

const blocks = {
  text: z
    .object({ type: z.literal('text'), text: z.string().meta({ examples: ['I made the todo “Buy milk”.'] }) })
    .meta({ id: 'TextBlock' }),
  toolCall: z
    .object({
      type: z.literal('tool_call'),
      id: callId,
      name: z.string().meta({ examples: ['create_todo'] }),
      title: z.string().meta({ examples: ['Create a todo'] }),
      input: anything,
      requiresApproval: z.boolean(),
      approvalId: Id.nullable(),
    })
    .meta({ id: 'ToolCallBlock' }),
  toolResult: z
    .object({
      type: z.literal('tool_result'),
      toolCallId: callId,
      isError: z.boolean(),
      output: anything.describe('Without captures:read a note, where it may quote captures.'),
      truncated: z.boolean(),
      quotesCaptures: z
        .boolean()
        .optional()
        .describe('Whether the output may quote captures. Earlier releases do not say.'),
    })
    .meta({ id: 'ToolResultBlock' }),
  approvalRequest: z
    .object({
      type: z.literal('approval_request'),
      approvalId: Id,
      toolCallId: callId,
      title: z.string(),
      reason: z.string(),
    })
    .meta({ id: 'ApprovalRequestBlock' }),
  approvalDecision: z
    .object({
      type: z.literal('approval_decision'),
      approvalId: Id,
      decision: z.enum(['approve', 'deny', 'expired', 'superseded']),
      note: z.string().nullable(),
      input: anything.optional().describe('What the person changed the input of the call to, if it was changed.'),
      decidedBy: Id.nullable().describe('The person; null without a decision.'),
    })
    .meta({ id: 'ApprovalDecisionBlock' }),
  reference: z
    .object({
      type: z.literal('reference'),
      resource: z.enum(['todo', 'chat', 'agent', 'capture']),
      resourceId: Id,
      title: z.string().nullable(),
    })
    .meta({ id: 'ReferenceBlock' }),
};

export const Block = z.discriminatedUnion('type', [
  blocks.text,
  blocks.toolCall,
  blocks.toolResult,
  blocks.approvalRequest,
  blocks.approvalDecision,
  blocks.reference,
]);

export type MessageBlock = z.infer<typeof Block>;
export type ToolCallBlock = z.infer<typeof blocks.toolCall>;
export type ToolResultBlock = z.infer<typeof blocks.toolResult>;

export const Message = z
  .object({
    object: z.literal('message'),
    id: Id,
    chatId: Id,
    sequence: z.int().meta({ description: 'From 1, without gaps.', examples: [2] }),
    role: z.enum(['user', 'agent', 'system']).describe('system: results of tools and messages of the service.'),
    text: z.string().meta({ description: 'For people; Markdown.', examples: ['I made the todo “Buy milk”.'] }),
    blocks: z.array(Block),
    agentId: Id.nullable().describe('The agent that wrote it.'),
    userId: Id.nullable().describe('The person who wrote it, or whose credential did.'),
    createdAt: Instant,
  })
  .meta({ id: 'Message' });

export type MessageAnswer = z.infer<typeof Message>;

export const ChatPage = listOf(Chat, 'ChatPage');
export const MessagePage = listOf(Message, 'MessagePage');

/** Replies in the answer of one request with `waitSeconds`. */
export const maxReplies = 100;

export const ChatRun = z
  .object({
    object: z.literal('chat_run'),
    chatId: Id,
    status: ChatStatus.describe('The state of the chat now.'),
    messageSequence: z.int().meta({ description: 'Sequence of the message just sent.', examples: [3] }),
    replies: z
      .array(Message)
      .describe(
        `Messages after the one sent, written while the request waited; empty unless \`waitSeconds\` was passed. At most ${maxReplies}: get the rest with listMessages.`,
      ),
    timedOut: z.boolean().describe('True when `waitSeconds` ran out before the agent finished.'),
  })
  .meta({ id: 'ChatRun' });

export type ChatRunAnswer = z.infer<typeof ChatRun>;

/** An event of a stream; see `streamChat`. */
export const ChatEvent = z
  .discriminatedUnion('event', [
    z.object({
      event: z.literal('message'),
      id: z.int().meta({ description: 'The sequence of the message.', examples: [2] }),
      data: Message,
    }),
    z.object({
      event: z.literal('delta'),
      data: z
        .object({ sequence: z.int(), offset: z.int(), text: z.string() })
        .describe(
          'Provisional text of a message that is being written, from its `offset`th UTF-16 code unit on: keep what comes before, replace the rest. An offset of 0 starts again.',
        ),
    }),
    z.object({ event: z.literal('status'), data: z.object({ status: ChatStatus }) }),
    z.object({ event: z.literal('done'), data: z.object({ status: ChatStatus }) }),
  ])
  .meta({ id: 'ChatEvent' });

export type ChatEventAnswer = z.infer<typeof ChatEvent>;

export const MessageText = nonBlankText(32_000).meta({ examples: ['What is due this week?'] });
export const ChatTitle = nonBlankText(200).meta({ examples: ['Plan the launch'] });

/** Seconds that createChat and sendMessage, listMessages, and a tool may wait. */
const maxReplyWait = 120;
const maxMessagesWait = 25;
export const maxToolWait = 50;

/** `waitSeconds` of a request that may be held for up to `maxSeconds`. */
export function waitUpTo(maxSeconds: number) {
  return z.int().min(0).max(maxSeconds).optional();
}

const held = 'Seconds to hold the request at most, until the agent stops; the agent continues when you disconnect.';

/** The body of createChat. */
export const ChatCreate = z
  .strictObject({
    message: MessageText.describe('Starts the work.'),
    title: ChatTitle.optional().describe('Generated from the message when omitted.'),
    agentId: Id.optional().describe('Omitted: the default assistant of the workspace.'),
    todoId: Id.optional().describe('The todo that the work is recorded against.'),
    captureIds: z
      .array(Id)
      .max(20)
      .optional()
      .describe('Captures whose content the agent gets; needs the scope `captures:read` too.'),
    timezone: TimeZone.default('UTC').describe('IANA time zone of the times that the agent reads and writes.'),
    waitSeconds: waitUpTo(maxReplyWait).describe(held),
  })
  .meta({ id: 'ChatCreateParams' });

export type NewChat = z.infer<typeof ChatCreate>;

/** The body of sendMessage. */
export const MessageSend = z.strictObject({ message: MessageText, waitSeconds: waitUpTo(maxReplyWait).describe(held) });

export const ChatListing = z.strictObject({
  limit: Limit,
  cursor: CursorText,
  status: ChatStatus.optional().describe('Only chats in this state.'),
  agentId: Id.optional().describe('Only chats that name this agent.'),
  query: nonBlankText(200)
    .optional()
    .describe('Words, or parts of words, in title or subtitle, ignoring case; all must occur.'),
  includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
});

export type ChatListingInput = z.infer<typeof ChatListing>;

/** Only messages after the one of this sequence. */
export const AfterSequence = z.int().min(0).max(2_147_483_647).default(0);

export const MessageListing = z.strictObject({
  limit: Limit,
  cursor: CursorText,
  afterSequence: AfterSequence.describe('Only messages after this sequence: 0 for all.'),
  waitSeconds: waitUpTo(maxMessagesWait).describe(
    'Seconds to hold the request at most, until there is such a message or the agent stops.',
  ),
});

export type MessageListingInput = z.infer<typeof MessageListing>;
