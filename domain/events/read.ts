import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { events } from '../../db/schema/events.ts';
import type { Principal } from '../context.ts';
import type { LoggedEvent } from '../event-logs.ts';
import { type EventObject, type EventType, eventObjects, eventTypes, objectOf, readScopeOf } from './types.ts';

/** On whose behalf events are read. */
export type EventReader = Pick<Principal, 'kind' | 'userId' | 'scopes'>;

/** Which events of a workspace are wanted; without `types`, `objects`, `actorId` and `resourceId` all of them. */
export interface EventQuery {
  workspaceId: string;
  /** Only events after this sequence. */
  after: number;
  limit: number;
  types?: readonly EventType[] | undefined;
  objects?: readonly EventObject[] | undefined;
  actorId?: string | undefined;
  resourceId?: string | undefined;
  /** What the resource belongs to: a todo, list, chat, agent or capture. */
  parentId?: string | undefined;
  /** Leaves out what this reader may not read; without one everything is read. */
  reader?: EventReader | undefined;
}

/** The ends of the log of a workspace: both 0 before its first event. */
export interface LogEnds {
  /** The sequence of the last event. */
  latest: number;
  /** Events up to here may be deleted. */
  expired: number;
}

/** Events after a position, oldest first, and the log as it was when they were read. */
export interface EventSlice extends LogEnds {
  events: LoggedEvent[];
  /** Everything that matches up to here was returned: the last event of a full page, else the end of the log. */
  through: number;
}

function mayReadOf({ kind, scopes }: Omit<EventReader, 'userId'>, object: EventObject): boolean {
  const scope = readScopeOf(object);
  return scope === null ? kind === 'session' : scopes.has(scope);
}

/** The kinds of resources whose events the reader may read. */
export function readableObjects(reader: Omit<EventReader, 'userId'>): EventObject[] {
  return eventObjects.filter((object) => mayReadOf(reader, object));
}

/** Whether the reader may read such an event in a log of their workspace. */
export function mayRead(reader: EventReader, { type, readerId }: { type: string; readerId: string | null }): boolean {
  return (readerId === null || readerId === reader.userId) && mayReadOf(reader, objectOf(type as EventType));
}

/** The types of events that a query asks for and its reader may read; undefined when those are all types. */
export function wantedTypes({ types, objects, reader }: Omit<EventQuery, 'workspaceId' | 'after' | 'limit'>) {
  const readable = new Set(reader ? readableObjects(reader) : eventObjects);
  const wanted = eventTypes.filter((type) => {
    const object = objectOf(type);
    return readable.has(object) && (objects?.includes(object) ?? true) && (types?.includes(type) ?? true);
  });
  return wanted.length === eventTypes.length ? undefined : wanted;
}

/** The columns of an event, from `e` (`events`), with its actor from `u` (`users`) and `a` (`agents`). */
export const eventColumns = `e.id, e.type, e.sequence, e.occurred_at as "occurredAt", e.object_id as "objectId", e.parents,
  e.changed_fields as "changedFields", e.version, e.actor_type as "actorType", e.actor_id as "actorId",
  coalesce(u.name, a.name) as "actorName", e.credential_id as "credentialId", e.via, e.request_id as "requestId",
  e.reader_id as "readerId"`;

/** The actors of events `e` of the workspace `$1`. */
export const actors = `left join users u on e.actor_type = 'user' and u.id = e.actor_id
  left join agents a on e.actor_type = 'agent' and a.workspace_id = $1 and a.id = e.actor_id`;

type EventTable = typeof events.$inferSelect;

/** A row of `eventColumns`. */
export interface EventRow extends Omit<EventTable, 'workspaceId' | 'sequence'> {
  /** As the driver reads a `bigint`; null where the log holds no such event. */
  sequence: string | null;
  actorName: string | null;
}

type Row = EventRow & { latest: string; expired: string };

/** The event of a row. */
export function eventOf(workspaceId: string, row: EventRow): LoggedEvent {
  const { id, type, occurredAt, requestId, parents, changedFields, version } = row;
  return {
    object: 'event',
    id,
    type,
    sequence: Number(row.sequence),
    occurredAt,
    workspaceId,
    actor: {
      type: row.actorType,
      id: row.actorId,
      name: row.actorName,
      credentialId: row.credentialId,
      via: row.via,
    },
    requestId,
    data: { object: objectOf(type as EventType), id: row.objectId, parents, changedFields, version },
  };
}

function statementOf(query: EventQuery): { text: string; values: unknown[] } {
  const bindings = new Bindings(query.workspaceId);
  const where = ['e.workspace_id = $1', `e.sequence > ${bindings.bind(query.after)}::bigint`];
  const types = wantedTypes(query);
  if (types) where.push(`e.type = any(${bindings.bind(types)}::text[])`);
  if (query.actorId !== undefined) where.push(`e.actor_id = ${bindings.bind(query.actorId)}::uuid`);
  if (query.resourceId !== undefined) where.push(`e.object_id = ${bindings.bind(query.resourceId)}::uuid`);
  if (query.parentId !== undefined) {
    where.push(`exists (select from jsonb_each_text(e.parents) p where p.value = ${bindings.bind(query.parentId)})`);
  }
  if (query.reader) where.push(`(e.reader_id is null or e.reader_id = ${bindings.bind(query.reader.userId)}::uuid)`);
  // Joined to the position, so that Citus reads events and position in one query of the coordinator and one snapshot;
  // otherwise an event between two reads would be missed. The names are joined outside of it: inside, those of agents
  // would be missing.
  const text = `select e.latest, e.expired, ${eventColumns} from (
      select p.latest, p.expired, e.* from event_positions p left join lateral (
        select * from events e where ${where.join(' and ')} and e.workspace_id = p.workspace_id
        order by e.sequence limit ${bindings.bind(query.limit)}
      ) e on true where p.workspace_id = $1
    ) e ${actors} order by e.sequence`;
  return { text, values: bindings.values };
}

/** As `readEvents`, with the only reader of each event beside it; null for everybody who may read its resource. */
export async function readAddressedEvents(db: Db, query: EventQuery) {
  const { text, values } = statementOf(query);
  const rows = await db.rows<Row>(text, values);
  const [latest, expired] = [Number(rows[0]?.latest ?? 0), Number(rows[0]?.expired ?? 0)];
  const found = rows.filter(({ sequence }) => sequence !== null);
  const addressed = found.map((row) => ({ event: eventOf(query.workspaceId, row), readerId: row.readerId }));
  const last = addressed.at(-1)?.event.sequence;
  const through = addressed.length === query.limit && last !== undefined ? last : Math.max(latest, query.after);
  return { addressed, latest, expired, through };
}

/**
 * Events of a workspace after a position, oldest first, with the names that their actors have now. Whether the position
 * was still kept is for the caller to check: events up to `expired` may be missing.
 */
export async function readEvents(db: Db, query: EventQuery): Promise<EventSlice> {
  const { addressed, ...ends } = await readAddressedEvents(db, query);
  return { events: addressed.map(({ event }) => event), ...ends };
}

const position = `select latest, expired from event_positions where workspace_id = $1`;

/** The ends of the log of a workspace now. */
export async function logEnds(db: Db, workspaceId: string): Promise<LogEnds> {
  const [row] = await db.rows<{ latest: string; expired: string }>(position, [workspaceId]);
  return { latest: Number(row?.latest ?? 0), expired: Number(row?.expired ?? 0) };
}
