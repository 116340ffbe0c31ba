import { z } from 'zod';
import { deleteChat, restoreChat } from '../domain/chats/archive.ts';
import { cancelChat } from '../domain/chats/cancel.ts';
import { createChat } from '../domain/chats/create.ts';
import { listChats } from '../domain/chats/list.ts';
import { getChat } from '../domain/chats/rows.ts';
import { Chat, ChatCreate, ChatListing, ChatPage, ChatTitle } from '../domain/chats/shapes.ts';
import { updateChat } from '../domain/chats/titles.ts';
import { chatAfterWait } from '../domain/chats/wait.ts';
import { DeletedResource, Id } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';
import { messageOperations } from './messages.ts';

const One = z.strictObject({ chatId: Id });

export const chats = router({
  list: procedure
    .meta(
      op('GET /chats', {
        id: 'listChats',
        scope: 'chats:read',
        summary: 'List chats',
        description:
          'Lists chats, the most recently active first, without their messages. Pages by cursor; archived chats are left out unless `includeArchived` is true. With `status=awaiting_input` these are the chats that wait for a person.',
        sample: { status: 'awaiting_input' },
      }),
    )
    .input(ChatListing)
    .output(ChatPage)
    .query(({ ctx, input }) => listChats(ctx, input)),

  create: procedure
    .meta(
      op('POST /chats', {
        id: 'createChat',
        scope: 'chats:write',
        summary: 'Start a chat with an agent',
        description:
          'The agent starts at once and continues after this response. With `waitSeconds` the request is held until it stops. To collect the reply otherwise, read the status of the chat (getChat) BEFORE its messages (listMessages with `afterSequence` 0): when that status was neither `queued` nor `running`, and `hasMore` is false, everything has arrived.',
        sample: { message: 'What is due this week?', timezone: 'Europe/Berlin' },
        status: 201,
        keyed: true,
        etag: true,
        statuses: [402, 404],
        after: chatAfterWait,
        events: ['chat.created', 'message.created'],
      }),
    )
    .input(ChatCreate)
    .output(Chat)
    .mutation(({ ctx, input }) => createChat(ctx, input)),

  get: procedure
    .meta(
      op('GET /chats/{chatId}', {
        id: 'getChat',
        scope: 'chats:read',
        summary: 'Get a chat',
        description:
          'Returns the status of a chat, its title and what it works for, but no messages: see listMessages. To poll for a reply, read the status here BEFORE the messages; streamChat needs no polling.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(Chat)
    .query(({ ctx, input }) => getChat(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /chats/{chatId}', {
        id: 'updateChat',
        scope: 'chats:write',
        summary: 'Rename a chat',
        description:
          'Gives a chat a title, which replaces the generated one for good. The agent and the messages are not affected; sendMessage continues the conversation.',
        sample: { title: 'Plan the launch' },
        etag: true,
        statuses: [404],
        events: ['chat.updated'],
      }),
    )
    .input(One.extend({ title: ChatTitle.optional().describe('A given title replaces the generated one for good.') }))
    .output(Chat)
    .mutation(({ ctx, input }) => updateChat(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /chats/{chatId}', {
        id: 'deleteChat',
        scope: 'chats:write',
        summary: 'Archive a chat, or erase it for good',
        description:
          'An archived chat can be read and restored, and its agent continues. Erasing stops the agent first and removes all messages; its run stays in the history of the todo, without its summary.',
        etag: true,
        statuses: [404],
        events: [
          'chat.archived',
          'chat.deleted',
          'notification.updated',
          'notification.deleted',
          'todo_run.finished',
          'todo.updated',
        ],
      }),
    )
    .input(One.extend({ permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteChat(ctx, input)),

  restore: procedure
    .meta(
      op('POST /chats/{chatId}/restore', {
        id: 'restoreChat',
        scope: 'chats:write',
        summary: 'Bring an archived chat back',
        description:
          'Brings an archived chat back with all its messages; an active one is returned unchanged. An erased chat is not found. To resume work in it, call sendMessage.',
        etag: true,
        statuses: [404],
        events: ['chat.restored'],
      }),
    )
    .input(One)
    .output(Chat)
    .mutation(({ ctx, input }) => restoreChat(ctx, input)),

  cancel: procedure
    .meta(
      op('POST /chats/{chatId}/cancel', {
        id: 'cancelChat',
        scope: 'chats:write',
        summary: 'Stop the agent in a chat',
        description:
          'Stops the turn that is running. Messages and changes made so far stay. A chat whose turn has ended is returned unchanged; a message resumes a cancelled chat.',
        etag: true,
        statuses: [404],
        events: [
          'chat.status_changed',
          'approval.superseded',
          'notification.updated',
          'todo_run.finished',
          'todo.updated',
        ],
      }),
    )
    .input(One)
    .output(Chat)
    .mutation(({ ctx, input }) => cancelChat(ctx, input)),

  ...messageOperations,
});
