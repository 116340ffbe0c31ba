import { z } from 'zod';
import { principalOf } from '../base.ts';
import { CursorText, Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { ToolLimit, tool, toolProcedure } from '../tool.ts';
import { cancelChat } from './cancel.ts';
import { createChat } from './create.ts';
import { listChats } from './list.ts';
import { listMessages } from './list-messages.ts';
import { sendMessage } from './send.ts';
import { AfterSequence, Chat, ChatCreate, ChatListing, MessageText, waitUpTo } from './shapes.ts';
import { Conversation, conversation, patienceOf, replyTo } from './tool-answers.ts';
import { untilSettled } from './wait.ts';

const chatId = Id.describe('Id of the chat.');
const rest =
  'Call get_chat with afterSequence = the sequence before it, limit 1 and textOffset = the characters you have.';
const write = { scopes: ['chats:write' as const], rest };
const asking = { ...write, asks: true };
const held = waitUpTo(50).describe('Wait so long for the reply.');

const BriefChat = Chat.pick({
  object: true,
  id: true,
  title: true,
  subtitle: true,
  status: true,
  agentId: true,
  todoId: true,
  messageCount: true,
  isArchived: true,
  lastMessageAt: true,
});

export const chatTools = {
  list_chats: toolProcedure
    .meta(
      tool('list_chats', {
        title: 'List chats',
        description: 'Lists chats as brief rows, the most recently active first. get_chat shows one with its messages.',
        scopes: ['chats:read'],
        readOnly: true,
        longestText: 120,
        rest: 'Call get_chat with the id of the row.',
      }),
    )
    .input(
      ChatListing.extend({
        limit: ToolLimit,
        agentId: IdOrName.optional().describe('Id or name of the agent they name.'),
        query: ChatListing.shape.query.describe('Words in title or subtitle; all must occur.'),
      }),
    )
    .output(z.object({ data: z.array(BriefChat), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = principalOf(ctx);
      const agentId = input.agentId && (await idOf(ctx.db, workspaceId, 'agent', input.agentId, 'agentId'));
      return listChats(ctx.db, workspaceId, ctx.service.cursorKey, { ...input, agentId });
    }),

  get_chat: toolProcedure
    .meta(
      tool('get_chat', {
        title: 'Get a chat and its messages',
        description:
          'Shows a chat, its messages after afterSequence, and pendingApprovals, which wait for a person. nextSequence is the afterSequence of the next call.',
        scopes: ['chats:read'],
        readOnly: true,
        asks: true,
        rest,
      }),
    )
    .input(
      z.strictObject({
        chatId,
        afterSequence: AfterSequence.describe('0 for all messages.'),
        cursor: CursorText,
        limit: ToolLimit,
        waitSeconds: waitUpTo(50).describe('Wait so long for the first such message.'),
        textOffset: z.int().min(0).default(0).describe('Show the first message from this character on.'),
      }),
    )
    .output(Conversation)
    .query(async ({ ctx, input: { waitSeconds: seconds, ...asked } }) => {
      const waitSeconds = patienceOf(ctx, seconds);
      if (ctx.resumed) await untilSettled(ctx, principalOf(ctx).workspaceId, asked.chatId, waitSeconds);
      else if (waitSeconds > 0) {
        const first = { ...asked, limit: 1, waitSeconds };
        await listMessages(ctx, principalOf(ctx).workspaceId, ctx.service.cursorKey, first);
      }
      return conversation(ctx, asked);
    }),

  create_chat: toolProcedure
    .meta(
      tool('create_chat', {
        title: 'Start a chat',
        description: 'Starts a chat with an agent, which begins at once. get_chat collects the reply.',
        ...asking,
      }),
    )
    .input(
      ChatCreate.extend({
        message: MessageText.describe('What you ask of the agent.'),
        title: ChatCreate.shape.title.describe('Omitted: generated.'),
        agentId: IdOrName.optional().describe('Id or name. Omitted: the default assistant.'),
        todoId: ChatCreate.shape.todoId.describe('The todo to work on.'),
        captureIds: ChatCreate.shape.captureIds.describe('Captures to give the agent.'),
        timezone: ChatCreate.shape.timezone.describe('IANA time zone.'),
        waitSeconds: held,
      }),
    )
    .output(Conversation)
    .mutation(async ({ ctx, input: { waitSeconds, ...given } }) => {
      const principal = principalOf(ctx);
      const { workspaceId } = principal;
      const agentId = given.agentId && (await idOf(ctx.db, workspaceId, 'agent', given.agentId, 'agentId'));
      const id = ctx.resumed?.chatId ?? (await createChat(ctx, principal, { ...given, agentId })).id;
      return replyTo(ctx, id, 1, waitSeconds);
    }),

  send_chat_message: toolProcedure
    .meta(
      tool('send_chat_message', {
        title: 'Send a message to an agent',
        description:
          'Writes to the agent of a chat, which must not be at work and then works again. Where it waits for a person, this is the answer. get_chat collects the reply.',
        ...asking,
      }),
    )
    .input(z.strictObject({ chatId, message: MessageText.describe('What to say.'), waitSeconds: held }))
    .output(Conversation.extend({ messageSequence: z.int() }))
    .mutation(async ({ ctx, input }) => {
      const { chatId: id, waitSeconds } = input;
      const messageSequence =
        ctx.resumed?.sequence ?? (await sendMessage(ctx, principalOf(ctx), id, input.message)).messageSequence;
      return { ...(await replyTo(ctx, id, messageSequence, waitSeconds)), messageSequence };
    }),

  stop_chat: toolProcedure
    .meta(
      tool('stop_chat', {
        title: 'Stop a chat',
        description: 'Stops the agent in a chat; what it did stays. A chat whose agent stopped already stays as it is.',
        idempotent: true,
        ...write,
      }),
    )
    .input(z.strictObject({ chatId }))
    .output(z.object({ chat: Chat }))
    .mutation(async ({ ctx, input }) => ({ chat: await cancelChat(ctx, principalOf(ctx), input.chatId) })),
};
