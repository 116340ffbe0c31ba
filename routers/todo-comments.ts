import { ActivityListing, ActivityPage, listTodoActivity } from '../domain/comments/activity.ts';
import { getTodoComment, listTodoComments } from '../domain/comments/rows.ts';
import {
  Comment,
  CommentCreate,
  CommentListing,
  CommentPage,
  CommentRef,
  CommentUpdate,
} from '../domain/comments/shapes.ts';
import { createTodoComment, deleteTodoComment, updateTodoComment } from '../domain/comments/write.ts';
import { DeletedResource } from '../domain/fields.ts';
import { op, procedure } from './base.ts';

export const todoCommentOperations = {
  listComments: procedure
    .meta(
      op('GET /todos/{todoId}/comments', {
        id: 'listTodoComments',
        scope: 'todos:read',
        summary: 'List the comments on a todo',
        description:
          'Lists what people and agents wrote about a todo, the oldest first. Pages by cursor. The changes of the todo itself are in listTodoActivity, the conversations with agents in listMessages.',
        sample: { limit: 50 },
        statuses: [404],
        heavy: 'inTurn',
      }),
    )
    .input(CommentListing)
    .output(CommentPage)
    .query(({ ctx, input }) => listTodoComments(ctx, input)),

  createComment: procedure
    .meta(
      op('POST /todos/{todoId}/comments', {
        id: 'createTodoComment',
        scope: 'todos:write',
        summary: 'Comment on a todo',
        description:
          'Writes a comment on a todo and notifies the members in `mentions`. It starts no agent: to have one work, use runTodo, or sendMessage in its chat. An archived todo can be commented on too.',
        sample: { text: 'The caterer is booked.' },
        status: 201,
        keyed: true,
        etag: true,
        statuses: [404, 409],
        events: ['comment.created', 'notification.created'],
      }),
    )
    .input(CommentCreate)
    .output(Comment)
    .mutation(({ ctx, input }) => createTodoComment(ctx, input)),

  getComment: procedure
    .meta(
      op('GET /todos/{todoId}/comments/{commentId}', {
        id: 'getTodoComment',
        scope: 'todos:read',
        summary: 'Get a comment',
        description:
          'Returns one comment with its author. Programs that follow the events of comments read it with this operation; listTodoComments returns all of a todo.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(CommentRef)
    .output(Comment)
    .query(({ ctx, input }) => getTodoComment(ctx, input)),

  updateComment: procedure
    .meta(
      op('PATCH /todos/{todoId}/comments/{commentId}', {
        id: 'updateTodoComment',
        scope: 'todos:write',
        summary: 'Change a comment',
        description:
          'Changes the text or the mentions of a comment that you wrote, and sets `editedAt`; only members who were not mentioned before are notified. The comment of somebody else is refused with 403: write another with createTodoComment.',
        sample: { text: 'The caterer is booked for noon.' },
        etag: true,
        statuses: [403, 404],
        events: ['comment.updated', 'notification.created'],
      }),
    )
    .input(CommentUpdate)
    .output(Comment)
    .mutation(({ ctx, input }) => updateTodoComment(ctx, input)),

  deleteComment: procedure
    .meta(
      op('DELETE /todos/{todoId}/comments/{commentId}', {
        id: 'deleteTodoComment',
        scope: 'todos:write',
        summary: 'Erase a comment',
        description:
          'Erases a comment for good: its author may, and every owner of the workspace. The comments on a todo are erased with it by deleteTodo.',
        etag: true,
        statuses: [403, 404],
        events: ['comment.deleted'],
      }),
    )
    .input(CommentRef)
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteTodoComment(ctx, input)),

  listActivity: procedure
    .meta(
      op('GET /todos/{todoId}/activity', {
        id: 'listTodoActivity',
        scope: 'todos:read',
        summary: 'List what happened to a todo',
        description:
          'Lists the events of a todo, of its runs, planned times and comments, the latest first: who changed which fields, when and through what. Comments and runs that were deleted, and planned times that are gone, are left out with all their events; listEvents has those. It goes back as far as the log is kept (30 days unless set otherwise). Pages by cursor. To follow changes as they happen, use streamEvents; listEvents has the log of the whole workspace.',
        sample: { limit: 20 },
        statuses: [404],
        heavy: 'inTurn',
      }),
    )
    .input(ActivityListing)
    .output(ActivityPage)
    .query(({ ctx, input }) => listTodoActivity(ctx, input)),
};
