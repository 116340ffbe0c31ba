import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { DeletedResource, Id } from '../fields.ts';
import { deleteChat, restoreChat } from './archive.ts';
import { cancelChat } from './cancel.ts';
import { createChat } from './create.ts';
import { listChats } from './list.ts';
import { messageOperations } from './message-operations.ts';
import { findChat } from './rows.ts';
import { Chat, ChatCreate, ChatListing, ChatPage, ChatTitle } from './shapes.ts';
import { updateChat } from './titles.ts';
import { chatAfterWait } from './wait.ts';

const One = z.strictObject({ chatId: Id });

export const chats = router({
  list: procedure
    .meta(
      op('GET /chats', {
        id: 'listChats',
        scope: 'chats:read',
        summary: 'List chats',
        description: 'The most recently active first. Pages by cursor.',
      }),
    )
    .input(ChatListing)
    .output(ChatPage)
    .query(({ ctx, input }) => listChats(ctx.db, principalOf(ctx).workspaceId, ctx.service.cursorKey, input)),

  create: procedure
    .meta(
      op('POST /chats', {
        id: 'createChat',
        scope: 'chats:write',
        summary: 'Start a chat with an agent',
        description:
          'The agent begins at once and works on after this answer. With `waitSeconds` the request is held until it stops. To collect the reply otherwise, read the status of the chat (getChat) BEFORE its messages (listMessages with `afterSequence` 0): when that status was no longer `running` and `hasMore` is false, everything has arrived.',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [402, 404],
        after: chatAfterWait,
      }),
    )
    .input(ChatCreate)
    .output(Chat)
    .mutation(({ ctx, input }) => createChat(ctx, principalOf(ctx), input)),

  get: procedure
    .meta(
      op('GET /chats/{chatId}', {
        id: 'getChat',
        scope: 'chats:read',
        summary: 'Get a chat',
        description: 'To poll for a reply, read the status here BEFORE the messages.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(Chat)
    .query(({ ctx, input }) => findChat(ctx.db, principalOf(ctx).workspaceId, input.chatId)),

  update: procedure
    .meta(
      op('PATCH /chats/{chatId}', {
        id: 'updateChat',
        scope: 'chats:write',
        summary: 'Rename a chat',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One.extend({ title: ChatTitle.optional().describe('A title that is given is not generated any more.') }))
    .output(Chat)
    .mutation(({ ctx, input }) =>
      updateChat(ctx.db, principalOf(ctx).workspaceId, input.chatId, input.title, ctx.ifMatch),
    ),

  delete: procedure
    .meta(
      op('DELETE /chats/{chatId}', {
        id: 'deleteChat',
        scope: 'chats:write',
        summary: 'Archive a chat, or erase it for good',
        description:
          'An archived chat can be read and restored, and its agent works on. Erasing stops the agent first and removes all messages; a run of a todo that worked there stays in the history of the todo.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One.extend({ permanent: z.boolean().default(false).describe('True erases it for good.') }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) =>
      deleteChat(ctx, principalOf(ctx).workspaceId, input.chatId, input.permanent, ctx.ifMatch),
    ),

  restore: procedure
    .meta(
      op('POST /chats/{chatId}/restore', {
        id: 'restoreChat',
        scope: 'chats:write',
        summary: 'Bring an archived chat back',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(Chat)
    .mutation(({ ctx, input }) => restoreChat(ctx.db, principalOf(ctx).workspaceId, input.chatId)),

  cancel: procedure
    .meta(
      op('POST /chats/{chatId}/cancel', {
        id: 'cancelChat',
        scope: 'chats:write',
        summary: 'Stop the agent in a chat',
        description:
          'What it did already stays. A chat whose turn is over stays as it is and is answered so; a message resumes one that was cancelled.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(Chat)
    .mutation(({ ctx, input }) => cancelChat(ctx, principalOf(ctx), input.chatId)),

  ...messageOperations,
});
