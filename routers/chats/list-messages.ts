import type { KeyObject } from 'node:crypto';
import { notFound } from '../errors.ts';
import type { Waiting } from '../metadata.ts';
import { type CursorScope, cursorAfter, positionOf } from '../page.ts';
import type { MessageAnswer, MessageListingInput } from './shapes.ts';
import { readTail, type Tail } from './tail.ts';
import { isWorking, readUntil } from './wait.ts';

export interface MessagesPage extends Tail {
  nextCursor: string | null;
  /** Sequence of the last message up to here: what to go on after. */
  nextSequence: number;
}

/**
 * One page of the messages after `afterSequence`, or behind `cursor`. With `waitSeconds` an empty page is not answered
 * while the agent is at work and time is left. `fitting` may make the page shorter: how many of its messages to keep.
 * @throws Failure 400 `invalid_cursor`, 404.
 */
export async function listMessages(
  waiting: Waiting,
  workspaceId: string,
  cursorKey: KeyObject,
  input: MessageListingInput & { chatId: string },
  fitting = (messages: readonly MessageAnswer[]) => messages.length,
): Promise<MessagesPage> {
  const { chatId, limit, cursor, afterSequence, waitSeconds = 0 } = input;
  const filters = { chatId: chatId.toLowerCase(), afterSequence };
  const order = { sort: 'sequence', order: 'asc' };
  const scope: CursorScope = { key: cursorKey, operation: 'listMessages', workspaceId, ...order, filters };
  const start = cursor === undefined ? afterSequence : Number(positionOf(scope, cursor)[0]);
  const tail = await readUntil(
    waiting,
    chatId.toLowerCase(),
    waitSeconds,
    () => readTail(waiting.db, workspaceId, chatId, start, limit),
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
