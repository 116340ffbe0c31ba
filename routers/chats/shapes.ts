import { z } from 'zod';
import { Id, Instant, listOf, saidText } from '../fields.ts';

export const chatStatuses = ['queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled'] as const;
export const ChatStatus = z.enum(chatStatuses);

export const Chat = z
  .object({
    object: z.literal('chat'),
    id: Id,
    title: z
      .string()
      .nullable()
      .meta({ description: 'Generated from the first message unless given.', examples: ['Plan the launch'] }),
    subtitle: z.string().nullable().describe('One line about where the chat stands; generated.'),
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
  text: z.object({ type: z.literal('text'), text: z.string() }).meta({ id: 'TextBlock' }),
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
      output: anything,
      truncated: z.boolean(),
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
      decidedBy: Id.nullable().describe('The person; null when nobody decided.'),
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
    role: z.enum(['user', 'agent', 'system']).describe('system: results of tools and what the service notes.'),
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

export const ChatRun = z
  .object({
    object: z.literal('chat_run'),
    chatId: Id,
    status: ChatStatus.describe('The state of the chat now.'),
    messageSequence: z.int().meta({ description: 'Sequence of the message just sent.', examples: [3] }),
    replies: z
      .array(Message)
      .describe('Messages produced while the request waited; empty unless `waitSeconds` was passed.'),
    timedOut: z.boolean().describe('True when `waitSeconds` ran out before the agent finished.'),
  })
  .meta({ id: 'ChatRun' });

export type ChatRunAnswer = z.infer<typeof ChatRun>;

export const MessageText = saidText(32_000).meta({ examples: ['What is due this week?'] });
export const ChatTitle = saidText(200).meta({ examples: ['Plan the launch'] });
