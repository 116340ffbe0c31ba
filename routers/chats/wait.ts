import type { Db } from '../../db/client.ts';
import type { LiveEvent } from '../live.ts';
import type { Waiting } from '../metadata.ts';
import { type ChatRow, chatColumns, chatOf } from './rows.ts';
import { Chat, type ChatAnswer, ChatRun, type ChatRunAnswer, mostReplies } from './shapes.ts';
import { readTail } from './tail.ts';

/** News can be lost with the line that brings them: who waits looks for itself this often. */
export const pollMs = 5000;

/** The agent is at work, or will be. */
export function isWorking(status: ChatAnswer['status']): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Listens for news of a chat from its making until `close`, without holding a connection. Make it, then read, then
 * sleep: what happens in between ends the sleep at once. `closely` also listens for messages, `onDelta` for pieces.
 */
export class Watch {
  readonly #ends: readonly AbortSignal[];
  readonly #unsubscribe: () => void;
  #news = false;
  #pieces = false;
  #wake = () => {};

  constructor(
    { live, signal, closing }: Pick<Waiting, 'live' | 'signal' | 'closing'>,
    chatId: string,
    closely: boolean,
    onDelta?: (delta: LiveEvent & { kind: 'delta' }) => void,
  ) {
    this.#ends = [signal, closing];
    for (const end of this.#ends) end.addEventListener('abort', this.#ring);
    const hear = (event: LiveEvent) => {
      if (event.kind !== 'delta') return this.#ring();
      if (!onDelta) return;
      onDelta(event);
      this.#pieces = true;
      this.#wake();
    };
    this.#unsubscribe = live.subscribe(chatId, hear, closely);
  }

  readonly #ring = () => {
    this.#news = true;
    this.#wake();
  };

  /** Nobody waits any more, or the process is about to stop. */
  get isOver(): boolean {
    return this.#ends.some((end) => end.aborted);
  }

  /** Until something happened since the last sleep, for `ms` at most. False when it was only a piece of a message. */
  async sleep(ms: number): Promise<boolean> {
    if (!this.#news && !this.#pieces && !this.isOver) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const onlyPieces = this.#pieces && !this.#news;
    this.#wake = () => {};
    this.#news = false;
    this.#pieces = false;
    return !onlyPieces;
  }

  close(): void {
    this.#unsubscribe();
    for (const end of this.#ends) end.removeEventListener('abort', this.#ring);
    this.#wake();
  }
}

/**
 * Reads again with every news of the chat until `isEnough`, or `seconds` are over, or nobody waits any more; returns
 * what was read last. Call it outside of transactions: between the reads nothing is held.
 */
export async function readUntil<Seen>(
  waiting: Pick<Waiting, 'live' | 'signal' | 'closing'>,
  chatId: string,
  seconds: number,
  read: () => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  closely = false,
): Promise<Seen> {
  if (seconds === 0) return read();
  const deadline = performance.now() + seconds * 1000;
  const watch = new Watch(waiting, chatId, closely);
  try {
    for (;;) {
      const seen = await read();
      const left = deadline - performance.now();
      if (isEnough(seen) || left <= 0 || watch.isOver) return seen;
      await watch.sleep(Math.min(left, pollMs));
    }
  } finally {
    watch.close();
  }
}

const one = `select ${chatColumns} from chats c where c.workspace_id = $1 and c.id = $2`;

async function chatNow(db: Db, workspaceId: string, chatId: string): Promise<ChatAnswer | undefined> {
  const [row] = await db.rows<ChatRow>(one, [workspaceId, chatId]);
  return row && chatOf(row);
}

/** The chat once its agent stopped, or as it stands after `seconds`; undefined when it was erased. */
export function untilSettled(waiting: Waiting, workspaceId: string, chatId: string, seconds: number) {
  return readUntil(
    waiting,
    chatId,
    seconds,
    () => chatNow(waiting.db, workspaceId, chatId),
    (chat) => chat === undefined || !isWorking(chat.status),
  );
}

/** `waitSeconds` of an input. */
function secondsOf(input: unknown): number | undefined {
  return (input as { waitSeconds?: number }).waitSeconds;
}

function workspaceOf({ principal }: Waiting): string {
  if (!principal) throw new Error('A chat was answered to nobody');
  return principal.workspaceId;
}

/** What createChat answers when it was asked to wait: the chat as it stands then. */
export async function chatAfterWait(waiting: Waiting, answer: unknown, input: unknown): Promise<unknown> {
  const seconds = secondsOf(input);
  if (seconds === undefined) return answer;
  const chat = await untilSettled(waiting, workspaceOf(waiting), (answer as ChatAnswer).id, seconds);
  return chat ? Chat.parse(chat) : answer;
}

/** What sendMessage answers when it was asked to wait: with the replies, read after the status that they led to. */
export async function runAfterWait(waiting: Waiting, answer: unknown, input: unknown): Promise<unknown> {
  const seconds = secondsOf(input);
  if (seconds === undefined) return answer;
  const workspaceId = workspaceOf(waiting);
  const { chatId, messageSequence } = answer as ChatRunAnswer;
  const chat = await untilSettled(waiting, workspaceId, chatId, seconds);
  const after = await readTail(waiting.db, workspaceId, chatId, messageSequence, mostReplies);
  const status = chat?.status ?? 'cancelled';
  const replies = after?.messages ?? [];
  return ChatRun.parse({ ...(answer as ChatRunAnswer), status, replies, timedOut: isWorking(status) });
}
