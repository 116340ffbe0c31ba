import { z } from 'zod';
import { CursorText, Id, Instant, Limit, listOf, nonBlankText } from '../fields.ts';

/** Bytes of a comment in UTF-8. */
const maxBytes = 65_536;

export const CommentText = nonBlankText(maxBytes)
  .refine((value) => Buffer.byteLength(value) <= maxBytes, `must be at most ${maxBytes} bytes long`)
  .meta({ description: 'Markdown, kept as written; up to 64 KiB.', examples: ['The caterer is booked.'] });

const Mentions = z
  .array(Id)
  .max(20)
  .describe('Members who are notified of it, once each. Not notified: its author, and those who switched that off.');

/** Who wrote a comment. */
const CommentAuthor = z
  .object({
    object: z.literal('comment_author'),
    type: z.enum(['user', 'agent']),
    id: Id,
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    isArchived: z.boolean().describe('True for an archived agent or a removed member.'),
  })
  .meta({ id: 'CommentAuthor' });

export const Comment = z
  .object({
    object: z.literal('comment'),
    id: Id,
    todoId: Id,
    author: CommentAuthor,
    text: z.string().meta({ description: 'Markdown, kept as written.', examples: ['The caterer is booked.'] }),
    mentions: z.array(Id).describe('Members whom it mentions.'),
    createdAt: Instant,
    editedAt: Instant.nullable().describe('When it was last changed; null when it never was.'),
  })
  .meta({ id: 'Comment' });

export type CommentAnswer = z.infer<typeof Comment>;

export const CommentPage = listOf(Comment, 'CommentPage');

export const CommentListing = z.strictObject({ todoId: Id, limit: Limit, cursor: CursorText });

/** A new comment on a todo. */
export const CommentCreate = z
  .strictObject({ todoId: Id, text: CommentText, mentions: Mentions.default([]) })
  .meta({ id: 'CommentCreateParams' });

/** A change of a comment; what is omitted is unchanged. */
export const CommentUpdate = z
  .strictObject({
    todoId: Id,
    commentId: Id,
    text: CommentText.optional(),
    mentions: Mentions.optional().describe('Replaces them; those who are new are notified.'),
  })
  .meta({ id: 'CommentUpdateParams' });

export const CommentRef = z.strictObject({ todoId: Id, commentId: Id });
export type CommentRef = z.infer<typeof CommentRef>;
