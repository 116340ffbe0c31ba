import { onAbort } from '../abort.ts';
import { requireAccess } from '../access.ts';
import type { Context } from '../context.ts';
import { cursorAfter, cursorScope, positionOf } from '../page.ts';
import { requireKept } from './positions.ts';
import { type EventQuery, type EventSlice, readEvents, wantedTypes } from './read.ts';
import type { EventFilterInput, EventListingInput } from './shapes.ts';

/** Interval at which a waiting request reads again: a notification can be lost with its connection. */
const pollMs = 5000;

/** Which events are followed. `parentId` is for clients of MCP alone. */
export type FollowedEvents = EventFilterInput & Pick<EventQuery, 'parentId'>;

/** The events that an input asks for, as its caller may read them. */
export function queryOf({ principal }: Pick<Context, 'principal'>, filter: Omit<FollowedEvents, 'afterSequence'>) {
  const { types, resources: objects, parentId, actorId, resourceId } = filter;
  return { workspaceId: principal.workspaceId, types, objects, actorId, resourceId, parentId, reader: principal };
}

/**
 * Reads until there is an event, `seconds` are over, the client has disconnected or the process stops. It listens
 * before it reads, and holds no connection between the reads. @throws Failure 401 when the credential ends
 * meanwhile, 403 when the workspace requires a second factor now that the person lacks.
 */
async function readUntil(
  ctx: Context,
  query: EventQuery,
  seconds: number,
  read: (query: EventQuery) => Promise<EventSlice>,
) {
  const deadline = performance.now() + seconds * 1000;
  let wake = Promise.withResolvers<void>();
  const onNotice = () => wake.resolve();
  const isOver = () => ctx.signal.aborted || ctx.closing.aborted;
  const { principal, logs, signal, closing, db } = ctx;
  const unsubscribe = logs.subscribe(principal.workspaceId, onNotice, principal);
  signal.addEventListener('abort', onNotice);
  const stopWatching = onAbort(closing, onNotice);
  try {
    for (let at = query; ; wake = Promise.withResolvers()) {
      const slice = await read(at);
      const left = deadline - performance.now();
      if (slice.events.length > 0 || left <= 0 || isOver()) return slice;
      at = { ...query, after: slice.through };
      const timer = setTimeout(onNotice, Math.min(left, pollMs));
      await wake.promise;
      clearTimeout(timer);
      await requireAccess(db, principal);
    }
  } finally {
    unsubscribe();
    stopWatching();
    signal.removeEventListener('abort', onNotice);
  }
}

/**
 * One page of the log, the oldest first. A list that begins at a position is complete; it is refused if something after
 * the position was deleted. A list without a position has everything that is kept: security events are kept longer than
 * the rest.
 * @throws Failure 400 `invalid_cursor`, with `position_expired` or `position_unknown` as its reason.
 */
export async function listEvents(ctx: Context, input: EventListingInput) {
  const { limit, cursor, afterSequence, waitSeconds = 0, ...filter } = input;
  const filters = { ...filter, afterSequence };
  const scope = cursorScope(ctx, { sort: 'sequence', order: 'asc', filters });
  const start = cursor === undefined ? (afterSequence ?? 0) : Number(positionOf(scope, cursor)[0]);
  const query = { ...queryOf(ctx, filter), after: start, limit: limit + 1 };
  const param = cursor === undefined ? 'afterSequence' : 'cursor';
  const read = async (at: EventQuery) => {
    const slice = await readEvents(ctx.db, at);
    if (afterSequence !== undefined) requireKept(at.after, slice, param);
    return slice;
  };
  const isPossible = wantedTypes(query)?.length !== 0;
  const slice = await readUntil(ctx, query, isPossible ? waitSeconds : 0, read);
  const data = slice.events.slice(0, limit);
  const hasMore = slice.events.length > limit;
  const nextSequence = hasMore ? (data.at(-1)?.sequence ?? start) : slice.through;
  const nextCursor = hasMore ? cursorAfter(scope, [nextSequence, ctx.principal.workspaceId]) : null;
  return { object: 'list' as const, data, hasMore, nextCursor, nextSequence };
}
