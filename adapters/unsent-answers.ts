import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { unavailable } from '../domain/errors.ts';

/** Answers of up to so many characters are not counted: the system buffers about as much for a connection. */
const smallAnswer = 65_536;

/** Bytes of larger answers that clients may have left untaken: in this process, and of one holder. */
const limits = { all: 256 * 2 ** 20, holder: 64 * 2 ** 20 };

interface Unsent {
  /** The workspace of the client, or the address of one without a credential. */
  holder: string;
  bytes: number;
}

/**
 * The answers that clients have not read yet. If somebody sends requests and reads no answers, each answer stays in
 * memory until the stalled connection is found (`server/runtime/stalled-connections.ts`).
 */
export class UnsentAnswers {
  readonly #limits: typeof limits;
  /** The oldest first. */
  readonly #unsent = new Map<ServerResponse, Unsent>();
  readonly #ofHolders = new Map<string, number>();
  #all = 0;

  constructor(limit = limits) {
    this.#limits = limit;
  }

  /** Bytes that are counted now. */
  get bytes(): number {
    return this.#all;
  }

  /**
   * Counts an answer that is sent next, until it is read or its connection ends. When it exceeds a limit, the caller
   * that would hold the most has to give way: its oldest answers and their connections end. If that is the caller of
   * this request, a read is refused; the answer to a change is sent, as its client would not know what happened.
   * @throws Failure 503.
   */
  count({ raw, request }: FastifyReply, text: string, isRead: boolean): void {
    const { socket } = request.raw;
    if (text.length <= smallAnswer || socket.destroyed) return;
    const holder = request.principal?.workspaceId ?? request.addressDigits;
    const bytes = Buffer.byteLength(text);
    for (;;) {
      const most = this.#toGiveWay(holder, bytes, isRead);
      if (most === undefined) break;
      if (isRead && most === holder) throw unavailable();
      this.#endOldest(most);
    }
    if (socket.destroyed) return;
    this.#unsent.set(raw, { holder, bytes });
    this.#add(holder, bytes);
    raw.once('close', () => this.#forget(raw));
  }

  #fits(unsent: number, bytes: number, limit: number): boolean {
    return unsent === 0 || unsent + bytes <= limit;
  }

  /** Who has too much for an answer of so many bytes to `holder`; undefined where there is room. */
  #toGiveWay(holder: string, bytes: number, isRead: boolean): string | undefined {
    const own = this.#ofHolders.get(holder) ?? 0;
    if (!this.#fits(own, bytes, this.#limits.holder)) return holder;
    if (this.#fits(this.#all, bytes, this.#limits.all)) return undefined;
    // A caller who changes something and holds no answer yet has none that could be ended.
    let [most, held] = [holder, isRead || own > 0 ? own + bytes : 0];
    for (const [each, its] of this.#ofHolders) if (its > held) [most, held] = [each, its];
    return most;
  }

  #endOldest(holder: string): void {
    for (const [response, unsent] of this.#unsent) {
      if (unsent.holder !== holder) continue;
      this.#forget(response);
      response.req.socket.destroy();
      return;
    }
  }

  #forget(response: ServerResponse): void {
    const unsent = this.#unsent.get(response);
    if (!unsent) return;
    this.#unsent.delete(response);
    this.#add(unsent.holder, -unsent.bytes);
  }

  #add(holder: string, bytes: number): void {
    this.#all += bytes;
    const left = (this.#ofHolders.get(holder) ?? 0) + bytes;
    if (left > 0) this.#ofHolders.set(holder, left);
    else this.#ofHolders.delete(holder);
  }
}

/** Those of this process. */
export const unsentAnswers = new UnsentAnswers();
