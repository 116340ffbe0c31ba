import * as assert from 'uvu/assert';
import type { EventParents } from '../../db/schema/events.ts';
import { type EventObject, objectOf } from '../../domain/events/types.ts';
import type { Answer, CallOptions, TestService, TestWorkspace } from './harness.ts';
import { until } from './until.ts';

/** An event as it is stored, with or without its number. */
export interface StoredEvent {
  id: string;
  type: Parameters<typeof objectOf>[0];
  objectId: string;
  parents: EventParents;
  changedFields: string[];
  actorType: string;
  actorId: string | null;
  credentialId: string | null;
  via: string;
  requestId: string | null;
}

const columns = `id, type, object_id as "objectId", parents, changed_fields as "changedFields", actor_type as "actorType",
  actor_id as "actorId", credential_id as "credentialId", via, request_id as "requestId"`;

/**
 * All events of a workspace, in their order, with these columns. What waits for its number is read first: it is in the
 * log before it leaves the queue.
 */
export async function loggedRows<Row extends { id: string }>(
  { db }: Pick<TestService, 'db'>,
  workspaceId: string,
  selected: string,
): Promise<Row[]> {
  const read = (table: string, order: string) =>
    db.rows<Row>(`select ${selected} from ${table} where workspace_id = $1 order by ${order}`, [workspaceId]);
  const waiting = await read('event_queue', 'position, event_queue.id');
  const numbered = await read('events', 'sequence');
  const known = new Set(numbered.map(({ id }) => id));
  return [...numbered, ...waiting.filter(({ id }) => !known.has(id))];
}

/** All events of a workspace, in their order. */
export function eventsOf(tandem: Pick<TestService, 'db'>, workspaceId: string): Promise<StoredEvent[]> {
  return loggedRows(tandem, workspaceId, columns);
}

const asked = (table: string) => `select id, type from ${table} where request_id = $1`;

/** The types of all events that a request recorded, in whatever workspace. */
export async function typesOfRequest({ db }: Pick<TestService, 'db'>, requestId: string | null): Promise<string[]> {
  const read = (table: string) => db.rows<{ id: string; type: string }>(asked(table), [requestId]);
  const found = [...(await read('event_queue')), ...(await read('events'))];
  return [...new Map(found.map(({ id, type }) => [id, type])).values()];
}

/** An event in short: its type, the object, and the fields that changed. */
export type Outline = [type: string, objectId: string, ...changedFields: string[]];

function outlineOf({ type, objectId, changedFields }: StoredEvent): Outline {
  return [type, objectId, ...changedFields];
}

const work: EventObject[] = [
  'todo',
  'todo_list',
  'label',
  'view',
  'todo_run',
  'todo_occurrence',
  'schedule',
  'capture',
  'tag',
];

/** Of events those of todos, lists, captures and what belongs to them. */
export function ofWork(events: readonly StoredEvent[]): StoredEvent[] {
  return events.filter(({ type }) => work.includes(objectOf(type)));
}

/** A workspace whose calls return the events that they recorded. */
export interface FollowedWorkspace extends TestWorkspace {
  /** Calls, and returns the answer with the events of work that this request recorded. */
  does(
    route: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer & { events: Outline[]; stored: StoredEvent[] }>;
  /** The same; returns the body of a success. */
  makes(route: string, body?: unknown, options?: CallOptions): Promise<Answer['body']>;
  /** The events of work that were recorded since it was called last. */
  recent(): Promise<Outline[]>;
}

export async function followedWorkspace(tandem: TestService): Promise<FollowedWorkspace> {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  const seen = new Set<string>();
  const makes: FollowedWorkspace['makes'] = async (route, body, options) => {
    const answer = await call(route, body, options);
    assert.ok(answer.status < 300, `${route}: ${answer.text}`);
    return answer.body;
  };
  const does: FollowedWorkspace['does'] = async (route, body, options) => {
    const answer = await call(route, body, options);
    const requestId = answer.headers.get('x-request-id');
    const stored = ofWork(await eventsOf(tandem, workspaceId)).filter((event) => event.requestId === requestId);
    return { ...answer, stored, events: stored.map(outlineOf) };
  };
  const recent = async () => {
    const fresh = (await eventsOf(tandem, workspaceId)).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    return ofWork(fresh).map(outlineOf);
  };
  return { ...workspace, does, makes, recent };
}

const queued = 'select 1 from event_queue where workspace_id = $1';

/** Waits until the service has given every event of a workspace its number. */
export async function numbered({ db }: Pick<TestService, 'db'>, workspaceId: string): Promise<void> {
  await until(async () => (await db.rows(queued, [workspaceId])).length === 0);
}
