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
