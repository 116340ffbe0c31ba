import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { cursorAfter, cursorScope, positionOf } from '../page.ts';
import type { MessageAnswer, MessageListingInput } from './shapes.ts';
import { readTail, type Tail } from './tail.ts';
import { isWorking, readUntil } from './wait.ts';

/** A page of messages with the status of their chat. */
export interface MessagesPage extends Tail {
  nextCursor: string | null;
  /** Sequence of the last message of the page: `afterSequence` of the next one. */
  nextSequence: number;
}

type Reading = <Found>(read: () => Promise<Found>) => Promise<Found>;

/**
 * One page of the messages after `afterSequence`, after `start` if that is given, or after `cursor`. With `waitSeconds`
 * an empty page is returned only once the agent stopped or the time is over. `fitting` may shorten the page: the number
 * of messages to keep. `reading` makes each read, and not the waits between them.
 * @throws Failure 400 `invalid_cursor`, 404.
 */
export async function readMessages(
  ctx: Context,
  input: MessageListingInput & { chatId: string; start?: number },
  fitting = (messages: readonly MessageAnswer[]) => messages.length,
  reading: Reading = (read) => read(),
): Promise<MessagesPage> {
  const { chatId, limit, cursor, afterSequence, waitSeconds = 0 } = input;
  const filters = { chatId, afterSequence };
  const scope = cursorScope(ctx, { sort: 'sequence', order: 'asc', filters });
  const start = cursor === undefined ? (input.start ?? afterSequence) : Number(positionOf(scope, cursor)[0]);
  const tail = await readUntil(
    ctx,
    chatId,
    waitSeconds,
    () => reading(() => readTail(ctx, chatId, start, limit)),
    (seen) => seen === undefined || seen.messages.length > 0 || !isWorking(seen.status),
    true,
  );
  if (!tail) throw notFound('chat', 'chatId');
  const messages = tail.messages.slice(0, fitting(tail.messages));
  const hasMore = tail.hasMore || messages.length < tail.messages.length;
  const nextSequence = messages.at(-1)?.sequence ?? start;
  const nextCursor = hasMore ? cursorAfter(scope, [nextSequence, chatId]) : null;
  return { status: tail.status, messages, hasMore, nextCursor, nextSequence };
}

/**
 * One page of the messages of a chat, the oldest first; see `readMessages`. @throws Failure 400 `invalid_cursor`, 404.
 */
export async function listMessages(ctx: Context, input: MessageListingInput & { chatId: string }, reading?: Reading) {
  const { messages: data, hasMore, nextCursor } = await readMessages(ctx, input, undefined, reading);
  return { object: 'list' as const, data, hasMore, nextCursor };
}
