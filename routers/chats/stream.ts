import type { Waiting } from '../metadata.ts';
import type { ChatEventAnswer } from './shapes.ts';
import { readTailAs } from './tail.ts';
import { isWorking, pollMs, Watch } from './wait.ts';

/** Messages read at once: a reader that is slow holds no more of them in memory. */
const batch = 50;

type Piece = Extract<ChatEventAnswer, { event: 'delta' }>['data'];

/** What nobody took yet of the message that is being written; an older one comes whole. */
class Pieces {
  #sequence = 0;
  #offset = 0;
  #text = '';

  add({ sequence, offset, text }: Piece): void {
    if (sequence < this.#sequence) return;
    const goesOn = sequence === this.#sequence && offset === this.#offset + this.#text.length;
    if (goesOn) this.#text += text;
    else [this.#sequence, this.#offset, this.#text] = [sequence, offset, text];
  }

  /** Takes what belongs to a message after `sequence`. */
  *take(sequence: number): Generator<ChatEventAnswer> {
    const data = { sequence: this.#sequence, offset: this.#offset, text: this.#text };
    this.#offset += data.text.length;
    this.#text = '';
    if (data.sequence > sequence && data.text !== '') yield { event: 'delta', data };
  }
}

/**
 * What happens in a chat after the message `afterSequence`, until its agent stops: first what happened already, then
 * every message and status in their order, `done` at last. It ends without `done` when the chat is erased, the
 * credential no longer opens the workspace, the reader is gone or the process stops.
 */
export async function* followChat(
  waiting: Waiting,
  credential: { workspaceId: string; credentialId: string },
  chatId: string,
  afterSequence: number,
): AsyncGenerator<ChatEventAnswer> {
  const pieces = new Pieces();
  const watch = new Watch(waiting, chatId, true, (piece) => pieces.add(piece));
  let [last, told]: [number, string | undefined] = [afterSequence, undefined];
  try {
    while (!watch.isOver) {
      const tail = await readTailAs(waiting.db, credential, chatId, last, batch);
      if (!tail) return;
      for (const message of tail.messages) {
        yield { event: 'message', id: message.sequence, data: message };
        last = message.sequence;
      }
      if (tail.hasMore) continue;
      const { status } = tail;
      if (status !== told) yield { event: 'status', data: { status } };
      told = status;
      if (!isWorking(status)) {
        yield { event: 'done', data: { status } };
        return;
      }
      // Pieces go out as they come; the chat, and whether the credential may still see it, are read in between.
      const lookAgain = performance.now() + pollMs;
      do yield* pieces.take(last);
      while (!(await watch.sleep(Math.max(0, lookAgain - performance.now()))) && performance.now() < lookAgain);
    }
  } finally {
    watch.close();
  }
}
