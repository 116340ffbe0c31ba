import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import type { Origin } from '../../db/origin.ts';
import type { EventParents } from '../../db/schema/events.ts';
import type { EventType } from './types.ts';

/** A change of one resource, as the verb knows it. */
export interface NewEvent {
  type: EventType;
  objectId: string;
  parents?: EventParents;
  /** Names of the fields of the answer that have other values now, as REST calls them. */
  changedFields?: readonly string[];
  /** Of the resource after the change, where it has one. */
  version?: number;
  /** The only person who may read it. */
  readerId?: string;
}

/** `parents` of an event: the ids that there are. */
export function parentsOf(ids: { [Name in keyof EventParents]: string | null }): EventParents {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null));
}

const columns = `workspace_id, id, type, object_id, parents, changed_fields, version, reader_id,
  actor_type, actor_id, credential_id, via, request_id`;

const shape = `e(id uuid, type text, "objectId" uuid, parents jsonb, "changedFields" text[], version int, "readerId" uuid,
  "actorType" text, "actorId" uuid, "credentialId" uuid, via text, "requestId" text)`;

const selected = `e.id, e.type, e."objectId", e.parents, e."changedFields", e.version, e."readerId", e."actorType", e."actorId",
  e."credentialId", e.via, e."requestId"`;

const insert = `insert into event_queue (${columns})
  select $1, ${selected} from jsonb_to_recordset($2::jsonb) as ${shape}`;

const listeners = new Set<() => void>();

/**
 * Calls `listener` whenever this process records events, in whatever database, until the returned function is called.
 * Their transaction is open then: what commits is not known yet.
 */
export function onRecording(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A row of the queue, without the id of its workspace. */
interface EventRow
  extends Required<Omit<NewEvent, 'version' | 'readerId'>>,
    Pick<Origin, 'actorType' | 'actorId' | 'credentialId' | 'via' | 'requestId'> {
  id: string;
  version: number | null;
  readerId: string | null;
}

/** The rows of the events; `origin.eventId` becomes the id of the last that who asked may read. */
function rowsOf(origin: Origin, workspaceId: string, events: readonly NewEvent[]): EventRow[] {
  for (const listener of listeners) listener();
  const { actorType, actorId, credentialId, via, requestId, mayRead = () => true } = origin;
  const by = { actorType, actorId, credentialId, via, requestId };
  const rows = events.map((event) => ({
    parents: {},
    changedFields: [],
    version: null,
    readerId: null,
    ...event,
    ...by,
    id: newId(),
  }));
  origin.eventId = rows.findLast((row) => mayRead(workspaceId, row))?.id ?? origin.eventId;
  origin.hasRecorded = true;
  return rows;
}

/**
 * Records changes in the log of a workspace, in the order given: one event per resource. Call it in the transaction of
 * the change, after its statements, so that two writers of a resource are recorded in the order of their changes.
 * Readers see the events once that has committed (`server/events/sequencer.ts` numbers them).
 */
export async function recordEvents(db: Db, workspaceId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.rows(insert, [workspaceId, JSON.stringify(rowsOf(db.origin, workspaceId, events))]);
}

/** One event of `recordEvents`. */
export function recordEvent(db: Db, workspaceId: string, event: NewEvent): Promise<void> {
  return recordEvents(db, workspaceId, [event]);
}

/**
 * Does the work of a request for the person whom the request itself identifies, as by the link of an email: the events
 * have that person as their actor, and not the credential that may be beside it.
 */
export async function actingAs<Result>(db: Db, userId: string, work: (theirs: Db) => Promise<Result>): Promise<Result> {
  const theirs = db.as({ ...db.origin, actorType: 'user', actorId: userId, credentialId: null });
  const result = await work(theirs);
  db.origin.eventId = theirs.origin.eventId;
  db.origin.hasRecorded = theirs.origin.hasRecorded;
  db.origin.personId = userId;
  return result;
}

/**
 * Makes a change and records it in one statement. `change` is an insert, update or delete of one or several rows that
 * returns `id`, with the workspace as `$1`; only events of rows that it returns are recorded.
 */
export async function changeAndRecord(
  db: Db,
  change: string,
  values: readonly unknown[],
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return void (await db.rows(change, values));
  const bindings = new Bindings();
  for (const value of values) bindings.bind(value);
  const recording = recordingPart(bindings, db.origin, { events, changed: 'changed', workspace: '$1' });
  await db.rows(`with changed as (${change}), ${recording} select 1 from changed`, bindings.values);
}

/** What a statement records of its own changes; the expressions are SQL over its relation `changed`, called `c`. */
export interface Recording {
  /** At most one of each object. */
  events: readonly NewEvent[];
  /** The name of a relation of the statement with the column `id`: the objects of which events are recorded. */
  changed: string;
  /** The name of the parameter that holds the id of the workspace. */
  workspace: string;
  /** In place of the type of each event. */
  type?: string;
  /** In place of its parents. */
  parents?: string;
  /** In place of its changed fields: an event without any is left out. */
  fields?: string;
  /** In place of its version. */
  version?: string;
}

/**
 * The id of an event and who made the change, as a literal of a `text[]`. Ids and names of kinds need no quotes; the
 * driver would look for what to escape in each of them.
 */
function makerOf({ id, actorType, actorId, credentialId, via, requestId }: EventRow): string {
  const request = requestId === null ? 'NULL' : `"${requestId.replace(/["\\]/g, '\\$&')}"`;
  return `{${id},${actorType},${actorId ?? 'NULL'},${credentialId ?? 'NULL'},${via},${request}}`;
}

/**
 * The columns of the queue after the workspace, for one event. What is the same for all events of its kind is in the
 * text, and who made the change is one parameter: each parameter costs the driver more than a place in an array.
 */
function boundOf(bindings: Bindings, row: EventRow, { type, parents, fields, version }: Recording) {
  const by = bindings.bind(makerOf(row));
  const from = (place: number, as: string) => `(${by}::text[])[${place}]::${as}`;
  const given = (value: unknown, isGiven: boolean, as: string, otherwise: string) =>
    isGiven ? `${bindings.bind(value)}::${as}` : otherwise;
  const hasParents = Object.keys(row.parents).length > 0;
  return [
    from(1, 'uuid'),
    type ?? `'${row.type}'`,
    'c.id',
    parents ?? given(JSON.stringify(row.parents), hasParents, 'jsonb', `'{}'::jsonb`),
    fields ? 'f.fields' : given(row.changedFields, row.changedFields.length > 0, 'text[]', `'{}'::text[]`),
    version ?? given(row.version, row.version !== null, 'int', 'null::int'),
    given(row.readerId, row.readerId !== null, 'uuid', 'null::uuid'),
    from(2, 'text'),
    from(3, 'uuid'),
    from(4, 'uuid'),
    from(5, 'text'),
    from(6, 'text'),
  ].join(', ');
}

/**
 * The same within the statement that makes the change: a part of its `with` list, without the comma. The events are
 * recorded in the order given. Where they may be left out, the caller restores `eventId` and `hasRecorded` of the
 * origin; the part returns the ids of those that are not.
 */
export function recordingPart(bindings: Bindings, origin: Origin, recording: Recording): string {
  const { events, changed, workspace, type, parents, fields, version } = recording;
  const rows = rowsOf(origin, bindings.values[Number(workspace.slice(1)) - 1] as string, events);
  const [first, second] = rows;
  const listed = fields ? ` cross join lateral (select ${fields} as fields) f` : '';
  const only = fields ? 'cardinality(f.fields) > 0' : 'true';
  if (first && !second) {
    const values = boundOf(bindings, first, recording);
    return `recorded as (
      insert into event_queue (${columns}) select ${workspace}, ${values} from ${changed} c${listed}
      where c.id = ${bindings.bind(first.objectId)}::uuid and ${only} returning id
    )`;
  }
  const found = selected
    .replace('e.type', type ?? 'e.type')
    .replace('e.parents', parents ?? 'e.parents')
    .replace('e."changedFields"', fields ? 'f.fields' : 'e."changedFields"')
    .replace('e.version', version ?? 'e.version');
  return `recorded as (
      insert into event_queue (${columns}) select ${workspace}, ${found}
      from jsonb_to_recordset(${bindings.bind(JSON.stringify(rows))}::jsonb) as ${shape}
      join ${changed} c on c.id = e."objectId"${listed} where ${only} order by e.id returning id
    )`;
}
