import type { RequestContext, StandbyRead } from '../domain/context.ts';
import { logEnds } from '../domain/events/read.ts';

/** For how long a position of a standby is remembered, in ms, and of how many workspaces. */
const rememberedMs = 1000;
const maxRemembered = 50_000;

/** The position that a standby has, or had a second ago at most. */
async function positionOf({ db, positions }: StandbyRead, workspaceId: string): Promise<number> {
  const at = performance.now();
  const known = positions.get(workspaceId);
  if (known && at - known.at < rememberedMs) return known.latest;
  const { latest } = await logEnds(db, workspaceId);
  if (positions.size >= maxRemembered) positions.clear();
  positions.set(workspaceId, { latest, at });
  return latest;
}

/**
 * `Tandem-Sequence` of a read: a position in the log up to which the answer contains everything (CONTRACT §9.5). Call
 * it before the data is read. A process knows the log from notifications, which are sent after the commit that they
 * announce, so whatever is read later contains that commit. The position may be behind the log; then the client only
 * gets events that it has seen already. Only the first read of a workspace on a process asks the database. A read from
 * a standby asks the standby, once in a second; if it has no position to give, it is not used.
 */
export async function positionBefore(ctx: RequestContext): Promise<number | undefined> {
  const { principal, logs, standby } = ctx;
  if (!principal) return undefined;
  const { workspaceId } = principal;
  if (standby) {
    const position = await positionOf(standby, workspaceId).catch(() => undefined);
    if (position !== undefined) return position;
    ctx.standby = undefined;
  }
  return logs.positionOf(workspaceId) ?? (await logs.learnPosition(workspaceId));
}

/** In the list of events of a batch: a call that recorded none. */
const none = '-';

/**
 * The headers that tie an answer to the log: the position of a read, and the last event of a write. A batch with
 * several `calls` has one entry for each, in their order. Absent if nothing was recorded.
 */
export function positionHeaders(
  { reply: { eventIds } }: Pick<RequestContext, 'reply'>,
  sequence: number | undefined,
  calls = 1,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (sequence !== undefined) headers['Tandem-Sequence'] = String(sequence);
  if (eventIds) {
    const [first = none] = eventIds;
    const all = () => Array.from({ length: calls }, (_, place) => eventIds[place] ?? none).join(', ');
    headers['Tandem-Event'] = calls === 1 ? first : all();
  }
  return headers;
}
