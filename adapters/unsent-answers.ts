import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { unavailable } from '../domain/errors.ts';

/** Answers of up to so many characters are not counted: what the system buffers of a connection is about as much. */
const smallAnswer = 65_536;

/** Bytes of larger answers that clients may have left untaken: in this process, and of one workspace. */
const limits = { all: 256 * 2 ** 20, workspace: 64 * 2 ** 20 };

interface Unsent {
  workspaceId: string;
  bytes: number;
}

/**
 * The answers that are not with their clients yet. Whoever sends requests and reads no answers has each of them kept in
 * memory, for as long as it takes to find that nothing is taken (`server/runtime/stalled-connections.ts`).
 */
export class UnsentAnswers {
  readonly #limits: typeof limits;
  /** The oldest first. */
  readonly #unsent = new Map<ServerResponse, Unsent>();
  readonly #ofWorkspaces = new Map<string, number>();
  #all = 0;

  constructor(limit = limits) {
    this.#limits = limit;
  }

  /** Bytes that are counted now. */
  get bytes(): number {
    return this.#all;
  }

  /**
   * Counts an answer that is sent next, until it is taken or its connection ends. Where it is one too many, reading it is
   * refused; what has changed something is sent, and the connections of older answers end instead, as their clients would
   * not know what happened. @throws Failure 503.
   */
  count({ raw, request }: FastifyReply, text: string, isRead: boolean): void {
    const { socket } = request.raw;
    if (text.length <= smallAnswer || socket.destroyed) return;
    const workspaceId = request.principal?.workspaceId ?? '';
    const bytes = Buffer.byteLength(text);
    if (isRead && this.#isFull(workspaceId, bytes)) throw unavailable();
    for (const [older, unsent] of this.#unsent) {
      if (!this.#isFull(workspaceId, bytes)) break;
      if (unsent.workspaceId !== workspaceId && this.#fits(this.#all, bytes, this.#limits.all)) continue;
      this.#forget(older);
      older.req.socket.destroy();
    }
    if (socket.destroyed) return;
    this.#unsent.set(raw, { workspaceId, bytes });
    this.#add(workspaceId, bytes);
    raw.once('close', () => this.#forget(raw));
  }

  #fits(unsent: number, bytes: number, limit: number): boolean {
    return unsent === 0 || unsent + bytes <= limit;
  }

  #isFull(workspaceId: string, bytes: number): boolean {
    const ofWorkspace = this.#ofWorkspaces.get(workspaceId) ?? 0;
    const { all, workspace } = this.#limits;
    return !this.#fits(this.#all, bytes, all) || !this.#fits(ofWorkspace, bytes, workspace);
  }

  #forget(response: ServerResponse): void {
    const unsent = this.#unsent.get(response);
    if (!unsent) return;
    this.#unsent.delete(response);
    this.#add(unsent.workspaceId, -unsent.bytes);
  }

  #add(workspaceId: string, bytes: number): void {
    this.#all += bytes;
    const left = (this.#ofWorkspaces.get(workspaceId) ?? 0) + bytes;
    if (left > 0) this.#ofWorkspaces.set(workspaceId, left);
    else this.#ofWorkspaces.delete(workspaceId);
  }
}

/** Those of this process. */
export const unsentAnswers = new UnsentAnswers();
