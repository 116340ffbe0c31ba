import type { Actor } from '../api/acting.ts';
import { identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { readTagged, sendTagged, type Tagged } from '../api/tagged.ts';
import type { CaptureChanges } from './capture-change.ts';
import type { Capture } from './queries.ts';

/* Captures with their entity tags, for changes that must not overwrite those of others. */

const readMs = 60_000;
const pathOf = (captureId: string) => `/captures/${encodeURIComponent(captureId)}`;

/** The person and the workspace that the pages of this window show. */
export function actorNow(): Actor | undefined {
  return queryClient.getQueryData(identityQuery.queryKey) ?? undefined;
}

/**
 * Reads a capture of `actor`: where the session of the browser is that of somebody else by now, it is refused, and not
 * said to be missing. @throws ProblemError.
 */
export function readCapture(captureId: string, actor: Actor | undefined = actorNow()): Promise<Tagged<Capture>> {
  return readTagged(pathOf(captureId), AbortSignal.timeout(readMs), actor);
}

/**
 * Changes a capture if it still has the tag. The answer has no texts. @throws ProblemError, 412 when it has another
 * tag.
 */
export function changeCapture(captureId: string, tag: string, body: CaptureChanges): Promise<Tagged<Partial<Capture>>> {
  return sendTagged(`PATCH ${pathOf(captureId)}`, { tag, body });
}
