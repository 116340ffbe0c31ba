import { z } from 'zod';
import { listMessages } from '../domain/chats/list-messages.ts';
import { sendMessage } from '../domain/chats/send.ts';
import {
  AfterSequence,
  ChatEvent,
  type ChatEventAnswer,
  ChatRun,
  MessageListing,
  MessagePage,
  MessageSend,
} from '../domain/chats/shapes.ts';
import { streamChat } from '../domain/chats/stream.ts';
import { runAfterWait } from '../domain/chats/wait.ts';
import { Id } from '../domain/fields.ts';
import { op, procedure, streamOf } from './base.ts';
import { inTurn } from './in-turn.ts';

/** The operations on the messages of a chat. */
export const messageOperations = {
  listMessages: procedure
    .meta(
      op('GET /chats/{chatId}/messages', {
        id: 'listMessages',
        scope: 'chats:read',
        summary: 'List the messages of a chat',
        description:
          'The oldest first. To collect a reply, pass `afterSequence` (0 after createChat, `messageSequence` after sendMessage) and keep the highest `sequence` seen. Polling is safe when the status of the chat is read (getChat) BEFORE its messages: everything has arrived when that status was neither `queued` nor `running`, and `hasMore` is false. With `waitSeconds` the request is held while the agent works and there is no new message.',
        sample: { afterSequence: 0 },
        statuses: [404],
      }),
    )
    .input(MessageListing.extend({ chatId: Id }))
    .output(MessagePage)
    .query(({ ctx, input }) =>
      // The calls of one request wait at the same time. What they read may be megabytes: they read it in turn.
      listMessages(ctx, input, async (read) => (await inTurn(ctx.reply, async () => ({ data: await read() }))).data),
    ),

  sendMessage: procedure
    .meta(
      op('POST /chats/{chatId}/messages', {
        id: 'sendMessage',
        scope: 'chats:write',
        summary: 'Send a message to the agent of a chat',
        description:
          'Starts the next turn: refused with 409 while the agent is at work. In a chat that waits for a person (`awaiting_input`) the message is the answer: the pending approvals are superseded, and with them approved ones whose calls still waited for those. With `waitSeconds` the request is held until the agent stops, and returns its messages in `replies`; if the time ends first, `timedOut` is true and the agent continues.',
        sample: { message: 'And next week?' },
        status: 202,
        keyed: true,
        statuses: [402, 404],
        after: runAfterWait,
        events: [
          'chat.status_changed',
          'message.created',
          'approval.superseded',
          'notification.updated',
          'todo.updated',
        ],
      }),
    )
    .input(MessageSend.extend({ chatId: Id }).meta({ id: 'MessageSendParams' }))
    .output(ChatRun)
    .mutation(({ ctx, input }) => sendMessage(ctx, input)),

  stream: procedure
    .meta(
      op('GET /chats/{chatId}/stream', {
        id: 'streamChat',
        scope: 'chats:read',
        summary: 'Follow a chat as it happens',
        description:
          'Server-sent events: every `message` after `afterSequence`, with its sequence as `id`; the `status` at first and when it changes; `delta`, a piece of the message of that `sequence` that is being written, provisional and replaced by the `message`; and `done` when the agent has stopped, after which the stream ends. Close it then, or open a new one for the next turn. A broken stream is resumed with `Last-Event-ID`, without loss or repetition. Comments keep the connection open. It ends within seconds after the credential ends.',
        statuses: [404],
        stream: { event: ChatEvent, resume: 'afterSequence' },
      }),
    )
    .input(z.strictObject({ chatId: Id, afterSequence: AfterSequence.describe('Only messages after this sequence.') }))
    .output(streamOf<ChatEventAnswer>())
    .query(({ ctx, input }) => streamChat(ctx, input)),
};
