import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { invalid } from '../errors.ts';
import type { LoggedEvent } from '../event-logs.ts';
import { Id } from '../fields.ts';
import { type LogEnds, logEnds } from './read.ts';
import { Event, type EventAnswer } from './shapes.ts';
import type { EventType } from './types.ts';

/*
 * Events as clients of MCP get them (SEP-3415): the name of an occurrence is the type of the event, and a cursor is a
 * position in the log of a workspace.
 */

/** Which events of a type are wanted. */
export const EventArguments = z.strictObject({
  resourceId: Id.optional().describe('Only events on the resource of this id.'),
  parentId: Id.optional().describe('Only events on what belongs to this todo, todo list, chat, agent or capture.'),
  actorId: Id.optional().describe('Only what this person or agent did.'),
});
export type EventArgumentsInput = z.infer<typeof EventArguments>;

/** What a client wants to get: events of one type. */
export interface WantedEvents {
  name: EventType;
  arguments: EventArgumentsInput;
}

/** Codes of the errors of MCP Events. */
export const eventErrors = {
  NotFound: -32023,
  Forbidden: -32024,
  ResourceExhausted: -32025,
  Unsupported: -32026,
  CallbackEndpointError: -32027,
} as const;

/** The payload of an occurrence: ids, and names of fields that changed. */
export const OccurrenceData = z.object({
  ...Event.shape.data.shape,
  actor: Event.shape.actor,
  sequence: Event.shape.sequence,
  workspaceId: Event.shape.workspaceId,
  requestId: Event.shape.requestId,
});

export interface EventOccurrence {
  eventId: string;
  name: string;
  timestamp: string;
  data: z.infer<typeof OccurrenceData>;
}

/** An event as an occurrence. */
export function occurrenceOf({ id, type, occurredAt, data, ...event }: EventAnswer): EventOccurrence {
  const { actor, sequence, workspaceId, requestId } = event;
  return {
    eventId: id,
    name: type,
    timestamp: occurredAt,
    data: { ...data, actor, sequence, workspaceId, requestId },
  };
}

/** The arguments that are given, so that equal ones compare equal. */
export function plainArguments({ resourceId, parentId, actorId }: EventArgumentsInput): EventArgumentsInput {
  const given = Object.entries({ resourceId, parentId, actorId }).filter(([, id]) => id !== undefined);
  return Object.fromEntries(given);
}

/** Whether an event is one that the arguments ask for. */
export function isWanted(event: LoggedEvent, { resourceId, parentId, actorId }: EventArgumentsInput): boolean {
  return (
    (resourceId === undefined || event.data.id === resourceId) &&
    (parentId === undefined || Object.values(event.data.parents).includes(parentId)) &&
    (actorId === undefined || event.actor.id === actorId)
  );
}

/** The cursor of a position. It is no secret: what may be read is checked when it is read. */
export function cursorAt(workspaceId: string, sequence: number): string {
  return Buffer.from(`${workspaceId} ${sequence}`).toString('base64url');
}

/** @throws Failure 400 for a cursor that was changed, or is of another workspace. */
function sequenceOf(workspaceId: string, cursor: string): number {
  const [of, sequence] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const at = Number(sequence);
  if (of === workspaceId && Number.isSafeInteger(at) && at >= 0 && cursorAt(workspaceId, at) === cursor) return at;
  throw invalid('cursor', 'This cursor is not valid here. Send one as it was received, or null to start from now.');
}

/** Where a client wants to continue. */
export interface Continuation {
  /** Null: from now on. */
  cursor?: string | null | undefined;
  /** Events that are older than so many milliseconds are left out. */
  maxAgeMs?: number | undefined;
}

/** Where it continues. `truncated`: events between its cursor and `start` are skipped. */
export interface Start extends LogEnds {
  start: number;
  truncated: boolean;
}

const firstSince = `select min(sequence) as first from events where workspace_id = $1 and sequence > $4::bigint
  and occurred_at >= $2::timestamptz - make_interval(secs => $3::float8 / 1000)`;

/** Where a client continues in the log of a workspace; what is no longer kept is skipped. @throws Failure 400. */
export async function startOf(
  { db, clock }: { db: Db; clock: () => Date },
  workspaceId: string,
  { cursor, maxAgeMs }: Continuation,
): Promise<Start> {
  const ends = await logEnds(db, workspaceId);
  const { latest, expired } = ends;
  if (cursor === undefined || cursor === null) return { ...ends, start: latest, truncated: false };
  const at = sequenceOf(workspaceId, cursor);
  // The log does not reach it when the database was restored from a backup.
  if (at > latest) return { ...ends, start: latest, truncated: true };
  const kept = Math.max(at, expired);
  if (maxAgeMs === undefined) return { ...ends, start: kept, truncated: kept > at };
  const now = clock();
  // No event is older than the year 1970, and a time long before it is none for PostgreSQL.
  const values = [workspaceId, now.toISOString(), Math.min(maxAgeMs, now.getTime()), kept];
  const [row] = await db.rows<{ first: string | null }>(firstSince, values);
  const start = Math.max(kept, row?.first == null ? latest : Number(row.first) - 1);
  return { ...ends, start, truncated: start > at };
}
