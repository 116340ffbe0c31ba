import type { Db } from '../../db/client.ts';
import { onAbort } from '../abort.ts';
import { requireAccess } from '../access.ts';
import type { WaitContext } from '../context.ts';
import type { LiveEvent } from '../live.ts';
import { type ChatRow, chatColumns, chatOf } from './rows.ts';
import { Chat, type ChatAnswer, ChatRun, type ChatRunAnswer, maxReplies } from './shapes.ts';
import { readTail } from './tail.ts';

/** Interval at which a waiting request reads again: a notification can be lost with its connection. */
export const pollMs = 5000;

/** Whether the agent is at work or queued. */
export function isWorking(status: ChatAnswer['status']): boolean {
  return status === 'queued' || status === 'running';
}

/** What a wait needs of a context. */
type Waiting = Pick<WaitContext, 'principal' | 'live' | 'signal' | 'closing'>;

/**
 * Listens for events of a chat, and for changes of what the principal may do, from its construction until `close`,
 * without holding a connection. Construct it, read, then sleep: an event in between ends the sleep at once. `closely`
 * also listens for messages, `onDelta` for deltas.
 */
export class Watch {
  readonly #ends: readonly AbortSignal[];
  readonly #stops: readonly (() => void)[];
  #hasEvent = false;
  #hasDelta = false;
  #hasAccessChanged = false;
  #wake = () => {};

  constructor(
    { principal, live, signal, closing }: Waiting,
    chatId: string,
    closely: boolean,
    onDelta?: (delta: LiveEvent & { kind: 'delta' }) => void,
  ) {
    this.#ends = [signal, closing];
    const stops = this.#ends.map((end) => onAbort(end, this.#onEvent));
    const listener = (event: LiveEvent) => {
      if (event.kind === 'access' || event.kind === 'resync') return this.#onAccess();
      if (event.kind !== 'delta') return this.#onEvent();
      if (!onDelta) return;
      onDelta(event);
      this.#hasDelta = true;
      this.#wake();
    };
    stops.push(live.subscribe(chatId, listener, closely, principal));
    this.#stops = stops;
  }

  readonly #onEvent = () => {
    this.#hasEvent = true;
    this.#wake();
  };

  readonly #onAccess = () => {
    this.#hasAccessChanged = true;
    this.#onEvent();
  };

  /** Whether what the principal may do may have changed since this was called last. */
  takeAccessChange(): boolean {
    const hasChanged = this.#hasAccessChanged;
    this.#hasAccessChanged = false;
    return hasChanged;
  }

  /** The client has disconnected, or the process is about to stop. */
  get isOver(): boolean {
    return this.#ends.some((end) => end.aborted);
  }

  /** Resolves at the first event since the last sleep, or after `ms`. False when there were only deltas. */
  async sleep(ms: number): Promise<boolean> {
    if (!this.#hasEvent && !this.#hasDelta && !this.isOver) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          // A notification may have been lost.
          this.#hasAccessChanged = true;
          resolve();
        }, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const onlyDeltas = this.#hasDelta && !this.#hasEvent;
    this.#wake = () => {};
    this.#hasEvent = false;
    this.#hasDelta = false;
    return !onlyDeltas;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#wake();
  }
}

/**
 * Reads again at every event of the chat until `isEnough`, `seconds` are over, the client has disconnected or the
 * process stops; returns the last read. Call it outside of transactions: no connection is held between the reads.
 * @throws Failure 401 when the credential is revoked or expires meanwhile, or its person is removed, 403 when the
 * workspace requires a second factor now that the person lacks.
 */
export async function readUntil<Seen>(
  ctx: Waiting & Pick<WaitContext, 'db'>,
  chatId: string,
  seconds: number,
  read: () => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  closely = false,
): Promise<Seen> {
  if (seconds === 0) return read();
  const deadline = performance.now() + seconds * 1000;
  const watch = new Watch(ctx, chatId, closely);
  try {
    for (;;) {
      const seen = await read();
      const left = deadline - performance.now();
      if (isEnough(seen) || left <= 0 || watch.isOver) return seen;
      await watch.sleep(Math.min(left, pollMs));
      if (watch.takeAccessChange()) await requireAccess(ctx.db, ctx.principal);
    }
  } finally {
    watch.close();
  }
}

const one = `select ${chatColumns} from chats c where c.workspace_id = $1 and c.id = $2`;

async function readChat(db: Db, workspaceId: string, chatId: string): Promise<ChatAnswer | undefined> {
  const [row] = await db.rows<ChatRow>(one, [workspaceId, chatId]);
  return row && chatOf(row);
}

/** The chat once its agent stopped, or after `seconds`; undefined when it was erased. */
export function untilSettled(ctx: WaitContext, { chatId, seconds }: { chatId: string; seconds: number }) {
  return readUntil(
    ctx,
    chatId,
    seconds,
    () => readChat(ctx.db, ctx.principal.workspaceId, chatId),
    (chat) => chat === undefined || !isWorking(chat.status),
  );
}

/** `waitSeconds` of an input. */
function secondsOf(input: unknown): number | undefined {
  return (input as { waitSeconds?: number }).waitSeconds;
}

/** The answer of createChat with `waitSeconds`: the chat after the wait. */
export async function chatAfterWait(ctx: WaitContext, answer: unknown, input: unknown): Promise<unknown> {
  const seconds = secondsOf(input);
  if (seconds === undefined) return answer;
  const chat = await untilSettled(ctx, { chatId: (answer as ChatAnswer).id, seconds });
  return chat ? Chat.parse(chat) : answer;
}

/** The answer of sendMessage with `waitSeconds`: with the replies, which are read after the status. */
export async function runAfterWait(ctx: WaitContext, answer: unknown, input: unknown): Promise<unknown> {
  const seconds = secondsOf(input);
  if (seconds === undefined) return answer;
  const { chatId, messageSequence } = answer as ChatRunAnswer;
  const chat = await untilSettled(ctx, { chatId, seconds });
  const after = await readTail(ctx, chatId, messageSequence, maxReplies);
  const status = chat?.status ?? 'cancelled';
  const replies = after?.messages ?? [];
  return ChatRun.parse({ ...(answer as ChatRunAnswer), status, replies, timedOut: isWorking(status) });
}
