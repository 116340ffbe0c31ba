import { Failure } from './errors.ts';

/** Seconds until a refused stream is worth another try. */
const refusedSeconds = 30;

/** @throws Failure 429 where a workspace has as many streams of a kind on this process as it may. */
export function requireFewStreams(kind: 'events' | 'chats', open: number, max: number): void {
  if (open < max) return;
  throw new Failure({
    status: 429,
    code: 'rate_limit_exceeded',
    message: `This workspace has ${max} open streams of ${kind}, and may not have more. Close some, or try again in ${refusedSeconds} s.`,
    retryAfterSeconds: refusedSeconds,
  });
}

/** How many streams of chats of each workspace are open on this process. */
const chatStreams = new Map<string, number>();

/** How many streams of chats a workspace has open on this process. */
export function openChatStreams(workspaceId: string): number {
  return chatStreams.get(workspaceId) ?? 0;
}

/** Counts a stream of a chat until the returned function is called. */
export function countChatStream(workspaceId: string): () => void {
  chatStreams.set(workspaceId, openChatStreams(workspaceId) + 1);
  return () => {
    const left = openChatStreams(workspaceId) - 1;
    if (left > 0) chatStreams.set(workspaceId, left);
    else chatStreams.delete(workspaceId);
  };
}
