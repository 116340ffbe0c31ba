import type { Context } from './context.ts';
import { Failure } from './errors.ts';

/** Seconds until a refused stream is worth another try. */
const refusedSeconds = 30;

type Kind = 'streams of events' | 'streams of chats' | 'downloads of audio' | 'recordings' | 'recording sockets';

/** @throws Failure 429 where a workspace has as many of a kind open on this process as it may. */
export function requireFewStreams(kind: Kind, open: number, max: number): void {
  if (open < max) return;
  throw new Failure({
    status: 429,
    code: 'rate_limit_exceeded',
    message: `This workspace has ${max} open ${kind}, and may not have more. Close some, or try again in ${refusedSeconds} s.`,
    retryAfterSeconds: refusedSeconds,
  });
}

/** How many of something each workspace has open on this process. */
export class OpenOfWorkspaces {
  readonly #open = new Map<string, number>();

  of(workspaceId: string): number {
    return this.#open.get(workspaceId) ?? 0;
  }

  /** Counts one more until the returned function is called. */
  add(workspaceId: string): () => void {
    this.#open.set(workspaceId, this.of(workspaceId) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.of(workspaceId) - 1;
      if (left > 0) this.#open.set(workspaceId, left);
      else this.#open.delete(workspaceId);
    };
  }
}

/**
 * Takes a place among the streams of a workspace, beside `others` that are counted elsewhere, until the returned
 * function is called, or the response is closed (a stream may end before its first event is asked for). Call it before
 * awaiting anything, so that simultaneous requests are counted too.
 * @throws Failure 429.
 */
export function takePlace(
  { principal, reply, signal }: Pick<Context, 'principal' | 'reply' | 'signal'>,
  places: OpenOfWorkspaces,
  { kind, max, others = 0 }: { kind: Kind; max: number; others?: number },
): () => void {
  requireFewStreams(kind, places.of(principal.workspaceId) + others, max);
  const leave = places.add(principal.workspaceId);
  reply.onClose ??= [];
  reply.onClose.push(leave);
  if (signal.aborted) leave();
  return leave;
}
