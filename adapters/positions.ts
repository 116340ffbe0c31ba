import type { RequestContext } from '../domain/context.ts';

/**
 * `Tandem-Sequence` of a read: a position in the log which its answer contains everything up to (CONTRACT §9.5). Call it
 * before the data is read. What a process knows of a log it has from notifications, which come after the commit of what
 * they announce: whatever is read later shows that. It may be behind the log, which costs a client nothing but events that
 * it has seen already. Only the first read of a workspace on a process asks the database.
 */
export async function positionBefore({ principal, logs }: RequestContext): Promise<number | undefined> {
  if (!principal) return undefined;
  const { workspaceId } = principal;
  return logs.positionOf(workspaceId) ?? (await logs.learnPosition(workspaceId));
}

/** In the list of events of a batch: a call that recorded none. */
const none = '-';

/**
 * The headers that tie an answer to the log: what a read contains, and the last event of a write; of a batch with several
 * `calls` one entry for each, in their order. Absent when nothing was recorded.
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
