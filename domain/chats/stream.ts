import { isClosed } from '../access.ts';
import type { Context } from '../context.ts';
import { OpenOfWorkspaces, takePlace } from '../streams.ts';
import { findChat } from './rows.ts';
import type { ChatEventAnswer } from './shapes.ts';
import { readTailAs } from './tail.ts';
import { isWorking, pollMs, Watch } from './wait.ts';

/** Messages per read, which limits the memory that a slow reader takes. */
const batch = 50;

type Delta = Extract<ChatEventAnswer, { event: 'delta' }>['data'];

/** The deltas of the message in progress that were not sent yet. Earlier messages are sent whole. */
class PendingDeltas {
  #sequence = 0;
  #offset = 0;
  #text = '';

  add({ sequence, offset, text }: Delta): void {
    if (sequence < this.#sequence) return;
    const isNext = sequence === this.#sequence && offset === this.#offset + this.#text.length;
    if (isNext) this.#text += text;
    else [this.#sequence, this.#offset, this.#text] = [sequence, offset, text];
  }

  /** Takes the pending text of a message after `sequence`. */
  *take(sequence: number): Generator<ChatEventAnswer> {
    const data = { sequence: this.#sequence, offset: this.#offset, text: this.#text };
    this.#offset += data.text.length;
    this.#text = '';
    if (data.sequence > sequence && data.text !== '') yield { event: 'delta', data };
  }
}

/**
 * A stream of a chat reads every few seconds, while one of events waits for the log: a workspace may have this many
 * times fewer of them.
 */
const eventStreamsPerChatStream = 10;
const openStreams = new OpenOfWorkspaces();

interface Following {
  chatId: string;
  afterSequence: number;
}

/** The events of a chat that exists, in a place that it leaves at its end. */
async function* followChat(
  ctx: Context,
  { chatId, afterSequence }: Following,
  leave: () => void,
): AsyncGenerator<ChatEventAnswer> {
  const deltas = new PendingDeltas();
  const watch = new Watch(ctx, chatId, true, (delta) => deltas.add(delta));
  let [last, sentStatus]: [number, string | undefined] = [afterSequence, undefined];
  let checkedAt = performance.now();
  try {
    while (!watch.isOver) {
      if (watch.takeAccessChange() || performance.now() - checkedAt >= pollMs) {
        if (await isClosed(ctx.db, ctx.principal)) return;
        checkedAt = performance.now();
      }
      const tail = await readTailAs(ctx, chatId, last, batch);
      if (!tail) return;
      for (const message of tail.messages) {
        yield { event: 'message', id: message.sequence, data: message };
        last = message.sequence;
      }
      if (tail.hasMore) continue;
      const { status } = tail;
      if (status !== sentStatus) yield { event: 'status', data: { status } };
      sentStatus = status;
      if (!isWorking(status)) {
        yield { event: 'done', data: { status } };
        return;
      }
      // Deltas are sent at once; the chat, and whether the credential is still valid, are read at every other event,
      // such as a revocation, and at every poll.
      const nextPoll = performance.now() + pollMs;
      do yield* deltas.take(last);
      while (!(await watch.sleep(Math.max(0, nextPoll - performance.now()))) && performance.now() < nextPoll);
    }
  } finally {
    watch.close();
    leave();
  }
}

/**
 * The events of a chat after the message `afterSequence`, until its agent stops: first the stored messages, then every
 * message and status in order, and `done` at the end. It ends without `done` when the chat is erased, the credential is
 * no longer valid, the workspace requires a second factor now that the person lacks, the client has disconnected or the
 * process stops. @throws Failure 404; 429 where the workspace has as many of these streams on this process as it may.
 */
export async function streamChat(ctx: Context, { chatId, afterSequence }: Following) {
  const max = Math.ceil(ctx.service.streamsPerWorkspace / eventStreamsPerChatStream);
  const leave = takePlace(ctx, openStreams, { kind: 'streams of chats', max });
  try {
    const { id } = await findChat(ctx.db, ctx.principal.workspaceId, chatId);
    return followChat(ctx, { chatId: id, afterSequence }, leave);
  } catch (error) {
    leave();
    throw error;
  }
}
