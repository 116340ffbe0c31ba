import { onAbort } from '../abort.ts';
import type { Context } from '../context.ts';
import type { AddressedEvent, SharedEvent } from '../event-logs.ts';
import { OpenOfWorkspaces, takePlace } from '../streams.ts';
import { type FollowedEvents, queryOf } from './list.ts';
import { positionAnswer, requireKept } from './positions.ts';
import { logEnds, readEvents, wantedTypes } from './read.ts';
import type { StreamedEventAnswer } from './shapes.ts';
import type { EventType } from './types.ts';

/** Events per read: what a slow reader holds in memory. */
const batch = 100;
/**
 * A reader to whom nothing was sent for so long gets its position: it can resume there, and knows that it is connected.
 */
const positionMs = 15_000;

/** Positions that were sent last: many streams of a workspace send the same one, which is then serialized once. */
const positionEvents = new Map<number, StreamedEventAnswer>();
const maxPositionEvents = 1000;

function positionEvent(sequence: number): StreamedEventAnswer {
  const known = positionEvents.get(sequence);
  if (known) return known;
  if (positionEvents.size >= maxPositionEvents) positionEvents.clear();
  const event: StreamedEventAnswer = { event: 'position', id: sequence, data: positionAnswer(sequence) };
  positionEvents.set(sequence, event);
  return event;
}

type StreamQuery = ReturnType<typeof queryOf>;

/** Sets of types by their names: those of most streams are the same. */
const typeSets = new Map<string, ReadonlySet<EventType>>();
const maxTypeSets = 100;

function typeSetOf(types: readonly EventType[]): ReadonlySet<EventType> {
  const names = types.join();
  const set = typeSets.get(names) ?? new Set(types);
  if (typeSets.size >= maxTypeSets) typeSets.clear();
  typeSets.set(names, set);
  return set;
}

/** Whether a stream sends an event. */
function matcherOf(query: StreamQuery): (event: AddressedEvent) => boolean {
  const { actorId, resourceId, parentId } = query;
  const { userId } = query.reader;
  const types = wantedTypes(query);
  const wanted = types && typeSetOf(types);
  return ({ shared: { data }, readerId }) =>
    (wanted?.has(data.type as EventType) ?? true) &&
    (readerId === null || readerId === userId) &&
    (actorId === undefined || data.actor.id === actorId) &&
    (resourceId === undefined || data.data.id === resourceId) &&
    (parentId === undefined || Object.values(data.data.parents).includes(parentId));
}

/** What a stream needs of its context for as long as it is open: there are thousands of them. */
type StreamContext = Pick<Context, 'principal' | 'logs' | 'signal' | 'closing' | 'db'>;

/** Streams that do not follow the log yet, where they are counted from then on. */
const opening = new OpenOfWorkspaces();

/** The events of the log after a position that is kept. */
async function* followLog(
  { principal, logs, signal, closing, db }: StreamContext,
  query: StreamQuery,
  start: number,
  isFollowing: () => void,
): AsyncGenerator<StreamedEventAnswer> {
  const followed = logs.follow(principal);
  isFollowing();
  const follower = await followed;
  const close = () => follower.close();
  if (signal.aborted || closing.aborted) close();
  signal.addEventListener('abort', close);
  const stopWatching = onAbort(closing, close);
  const matches = matcherOf(query);
  let [last, sentAt, hasCaughtUp] = [start, performance.now(), false];
  const sending = (event: SharedEvent): SharedEvent => {
    sentAt = performance.now();
    return event;
  };
  try {
    yield positionEvent(start);
    while (!follower.isOver) {
      if (last < follower.start) {
        // One who does not keep up with the others reconnects and reads what it missed.
        if (hasCaughtUp) return;
        const slice = await readEvents(db, { ...query, after: last, limit: batch });
        if (slice.expired > last) return;
        for (const event of slice.events) yield sending({ event: 'change', id: event.sequence, data: event });
        last = slice.through;
        continue;
      }
      hasCaughtUp = true;
      const recent = follower.recent(last, batch);
      for (const event of recent) {
        last = event.shared.id;
        if (matches(event)) yield sending(event.shared);
        if (follower.isOver || last < follower.start) break;
      }
      if (recent.length > 0) continue;
      if (performance.now() - sentAt >= positionMs) {
        yield positionEvent(last);
        sentAt = performance.now();
      }
      await follower.sleep(positionMs);
    }
  } finally {
    follower.close();
    stopWatching();
    signal.removeEventListener('abort', close);
  }
}

/**
 * The events of the workspace after `afterSequence`, or from now on: first a `position`, then every event in order,
 * without end. It ends when the credential does, when the reader falls far behind, the client has disconnected or the
 * process stops.
 * @throws Failure 400 `invalid_cursor`, with `position_expired` or `position_unknown` as its reason; 429 where the
 * workspace has as many streams on this process as it may: each takes memory and a connection for as long as its client
 * wants.
 */
export async function streamEvents(ctx: Context, filter: FollowedEvents) {
  const { principal, logs, signal, closing, db, service } = ctx;
  const { workspaceId } = principal;
  const limit = { max: service.streamsPerWorkspace, others: logs.followersOf(workspaceId) };
  const leave = takePlace(ctx, opening, { kind: 'streams of events', ...limit });
  try {
    const ends = await logEnds(db, workspaceId);
    const { afterSequence = ends.latest } = filter;
    requireKept(afterSequence, ends, 'afterSequence');
    return followLog({ principal, logs, signal, closing, db }, queryOf(ctx, filter), afterSequence, leave);
  } catch (error) {
    leave();
    throw error;
  }
}
