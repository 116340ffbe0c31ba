import { z } from 'zod';
import { op, principalOf, procedure } from '../base.ts';
import { Id } from '../fields.ts';
import { streamOf } from '../stream.ts';
import { listMessages } from './list-messages.ts';
import { findChat } from './rows.ts';
import { sendMessage } from './send.ts';
import {
  AfterSequence,
  ChatEvent,
  type ChatEventAnswer,
  ChatRun,
  MessageListing,
  MessagePage,
  MessageSend,
} from './shapes.ts';
import { followChat } from './stream.ts';
import { runAfterWait } from './wait.ts';

/** The operations on the messages of a chat. */
export const messageOperations = {
  listMessages: procedure
    .meta(
      op('GET /chats/{chatId}/messages', {
        id: 'listMessages',
        scope: 'chats:read',
        summary: 'List the messages of a chat',
        description:
          'The oldest first. To collect a reply, pass `afterSequence` (0 after createChat, `messageSequence` after sendMessage) and keep the highest `sequence` seen. Polling is safe when the status of the chat is read (getChat) BEFORE its messages: everything has arrived when that status was no longer `running` and `hasMore` is false. With `waitSeconds` an empty page is not answered while the agent is at work.',
        statuses: [404],
      }),
    )
    .input(MessageListing.extend({ chatId: Id }))
    .output(MessagePage)
    .query(async ({ ctx, input }) => {
      const { workspaceId } = principalOf(ctx);
      const {
        messages: data,
        hasMore,
        nextCursor,
      } = await listMessages(ctx, workspaceId, ctx.service.cursorKey, input);
      return { object: 'list' as const, data, hasMore, nextCursor };
    }),

  sendMessage: procedure
    .meta(
      op('POST /chats/{chatId}/messages', {
        id: 'sendMessage',
        scope: 'chats:write',
        summary: 'Send a message to the agent of a chat',
        description:
          'Starts the next turn: refused with 409 while the agent is at work. In a chat that waits for a person (`awaiting_input`) the message is the answer, and what the agent asked is superseded. With `waitSeconds` the request is held until the agent stops, and answers its messages in `replies`; when the time runs out `timedOut` is true, and the agent works on.',
        status: 202,
        keyed: true,
        statuses: [402, 404],
        after: runAfterWait,
      }),
    )
    .input(MessageSend.extend({ chatId: Id }).meta({ id: 'MessageSendParams' }))
    .output(ChatRun)
    .mutation(({ ctx, input }) => sendMessage(ctx, principalOf(ctx), input.chatId, input.message)),

  stream: procedure
    .meta(
      op('GET /chats/{chatId}/stream', {
        id: 'streamChat',
        scope: 'chats:read',
        summary: 'Follow a chat as it happens',
        description:
          'Server-sent events: every `message` after `afterSequence`, with its sequence as `id`; the `status` at first and when it changes; `delta`, a piece of the message of that `sequence` that is being written, provisional and replaced by the `message`; and `done` when the agent has stopped, after which the stream ends. Close it then, or come back for the next turn. A stream that broke is resumed with `Last-Event-ID`, without loss or repetition. Comments keep the connection open. It ends within seconds when the credential stops being valid.',
        statuses: [404],
        stream: { event: ChatEvent, resume: 'afterSequence' },
      }),
    )
    .input(z.strictObject({ chatId: Id, afterSequence: AfterSequence.describe('Only messages after this sequence.') }))
    .output(streamOf<ChatEventAnswer>())
    .query(async ({ ctx, input }) => {
      const credential = principalOf(ctx);
      const { id } = await findChat(ctx.db, credential.workspaceId, input.chatId);
      return followChat(ctx, credential, id, input.afterSequence);
    }),
};
