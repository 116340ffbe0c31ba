import { z } from 'zod';
import { cancelChat } from '../../domain/chats/cancel.ts';
import { createChat } from '../../domain/chats/create.ts';
import { listChats } from '../../domain/chats/list.ts';
import { readMessages } from '../../domain/chats/list-messages.ts';
import { sendMessage } from '../../domain/chats/send.ts';
import {
  AfterSequence,
  Chat,
  ChatCreate,
  ChatListing,
  MessageText,
  maxToolWait,
  waitUpTo,
} from '../../domain/chats/shapes.ts';
import { untilSettled } from '../../domain/chats/wait.ts';
import { CursorText, Id } from '../../domain/fields.ts';
import { IdOrName, idOf } from '../../domain/names.ts';
import { inTurn } from '../in-turn.ts';
import { Conversation, conversation, replyTo, Work, waitOf } from './chat-answers.ts';
import { ToolLimit, tool, toolProcedure } from './tool.ts';

const chatId = Id.describe('Id of the chat.');
const rest =
  'Call get_chat with afterSequence = the sequence before it, limit 1 and textOffset = the characters you have.';
const write = { scopes: ['chats:write' as const], rest };
const eliciting = { ...write, elicits: true };
const held = waitUpTo(maxToolWait).describe('Wait up to this long for the reply.');

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
        description:
          'List chats as brief rows, the most recently active first; get_chat shows one with its messages. Example, where agents wait for a person: {"status":"awaiting_input"}.',
        scopes: ['chats:read'],
        readOnly: true,
        maxText: 120,
        rest: 'Call get_chat with the id of the row.',
      }),
    )
    .input(
      ChatListing.extend({
        limit: ToolLimit,
        agentId: IdOrName.optional().describe('Id or name of their agent.'),
        query: ChatListing.shape.query.describe('Words that all occur in title or subtitle.'),
      }),
    )
    .output(z.object({ data: z.array(BriefChat), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = ctx.principal;
      const agentId = input.agentId && (await idOf(ctx.db, workspaceId, 'agent', input.agentId, 'agentId'));
      return listChats(ctx, { ...input, agentId });
    }),

  get_chat: toolProcedure
    .meta(
      tool('get_chat', {
        title: 'Get a chat and its messages',
        description:
          'Show a chat, its messages after afterSequence, and pendingApprovals, which a person must decide. For new messages, call it again with afterSequence = nextSequence. Example: {"chatId":"…","afterSequence":1}.',
        scopes: ['chats:read'],
        readOnly: true,
        elicits: true,
        rest,
      }),
    )
    .input(
      z.strictObject({
        chatId,
        afterSequence: AfterSequence.describe('Messages after this sequence. Omitted: 0, all messages.'),
        cursor: CursorText,
        limit: ToolLimit,
        waitSeconds: waitUpTo(maxToolWait).describe('Wait up to this long for the first such message.'),
        textOffset: z.int().min(0).default(0).describe('Show the first message from this character on. Omitted: 0.'),
      }),
    )
    .output(Conversation)
    .query(async ({ ctx, input: { waitSeconds: seconds, ...page } }) => {
      const waitSeconds = waitOf(ctx, seconds);
      if (ctx.resumed) await untilSettled(ctx, { chatId: page.chatId, seconds: waitSeconds });
      else if (waitSeconds > 0) {
        await readMessages(ctx, { ...page, limit: 1, waitSeconds });
      }
      const answer = () => conversation(ctx, page);
      return waitSeconds > 0 ? inTurn(ctx.reply, answer) : answer();
    }),

  create_chat: toolProcedure
    .meta(
      tool('create_chat', {
        title: 'Start a chat',
        description:
          'Start a chat: an agent begins to work on message at once; spends agent minutes. get_chat shows the reply. For work that should be on the list, use create_todo with run; to continue a chat, use send_chat_message. Example: {"agentId":"Scout","message":"What is new on solid-state batteries?"}.',
        ...eliciting,
        readAgain: { message: 'Read again.' },
      }),
    )
    .input(
      ChatCreate.extend({
        message: MessageText.describe('The request to the agent, with all that it must know.'),
        title: ChatCreate.shape.title.describe('Omitted: generated.'),
        agentId: IdOrName.optional().describe('Id or name. Omitted: the default agent.'),
        todoId: ChatCreate.shape.todoId.describe('Id of the todo to work on.'),
        captureIds: ChatCreate.shape.captureIds.describe('Ids of captures that the agent may read.'),
        timezone: ChatCreate.shape.timezone.describe(
          'IANA time zone in which the agent reads and writes times. Omitted: UTC.',
        ),
        waitSeconds: held,
      }),
    )
    .output(Work)
    .mutation(async ({ ctx, input: { waitSeconds, ...given } }) => {
      if (ctx.resumed) return replyTo(ctx, { chatId: ctx.resumed.chatId, sequence: 1 }, waitSeconds);
      const { workspaceId } = ctx.principal;
      const agentId = given.agentId && (await idOf(ctx.db, workspaceId, 'agent', given.agentId, 'agentId'));
      const chat = await createChat(ctx, { ...given, agentId });
      return replyTo(ctx, { chatId: chat.id, sequence: 1, chat }, waitSeconds);
    }),

  send_chat_message: toolProcedure
    .meta(
      tool('send_chat_message', {
        title: 'Send a message to an agent',
        description:
          'Send a message in a chat and start its agent again; spends agent minutes. While it works this is refused: wait, or stop_chat first. In a chat that waits for a person the message is the answer, and the pending actions are not done. Example: {"chatId":"…","message":"Shorter, please."}.',
        ...eliciting,
      }),
    )
    .input(z.strictObject({ chatId, message: MessageText.describe('The text of the message.'), waitSeconds: held }))
    .output(Work.extend({ messageSequence: z.int() }))
    .mutation(async ({ ctx, input }) => {
      const { chatId, waitSeconds } = input;
      const messageSequence = ctx.resumed?.sequence ?? (await sendMessage(ctx, input)).messageSequence;
      return { ...(await replyTo(ctx, { chatId, sequence: messageSequence }, waitSeconds)), messageSequence };
    }),

  stop_chat: toolProcedure
    .meta(
      tool('stop_chat', {
        title: 'Stop a chat',
        description:
          'Stop the agent that works in a chat; a run of a todo ends as cancelled. Work so far stays; send_chat_message continues the chat. A chat without work is unchanged. Example: {"chatId":"…"}.',
        idempotent: true,
        ...write,
      }),
    )
    .input(z.strictObject({ chatId }))
    .output(z.object({ chat: Chat }))
    .mutation(async ({ ctx, input }) => ({ chat: await cancelChat(ctx, input) })),
};
