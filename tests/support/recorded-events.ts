import * as assert from 'uvu/assert';
import { operationsOf } from '../../adapters/operations.ts';
import type { EventParents } from '../../db/schema/events.ts';
import type { EventType } from '../../domain/events/types.ts';
import { appRouter } from '../../routers/index.ts';
import { loggedRows } from './event-log.ts';
import type { Answer, CallOptions, TestService } from './harness.ts';

/** An event as it is stored, with or without its number. */
export interface RecordedEvent {
  id: string;
  type: EventType;
  objectId: string;
  parents: EventParents;
  changedFields: string[];
  version: number | null;
  readerId: string | null;
  actorType: string;
  actorId: string | null;
  credentialId: string | null;
  via: string;
  requestId: string | null;
}

const columns = `id, type, object_id as "objectId", parents, changed_fields as "changedFields", version, reader_id as "readerId",
  actor_type as "actorType", actor_id as "actorId", credential_id as "credentialId", via, request_id as "requestId"`;

/** All events of a workspace, in their order. */
export function recordedEvents(tandem: Pick<TestService, 'db'>, workspaceId: string): Promise<RecordedEvent[]> {
  return loggedRows(tandem, workspaceId, columns);
}

/** What tests compare of an event. */
export type Brief = [type: string, objectId: string, ...changedFields: string[]];

export function brief({ type, objectId, changedFields }: RecordedEvent): Brief {
  return [type, objectId, ...changedFields];
}

const operations = operationsOf(appRouter);

/** The events that an operation declares; `route` is one of its requests. */
function declaredFor(route: string): readonly EventType[] | null {
  const [method = '', address = ''] = route.split(' ');
  const path = address.split('?')[0] ?? '';
  const found = operations.filter((each) => {
    const pattern = each.path.replace(/\{\w+\}/g, '[0-9a-fA-F-]{36}');
    return each.method === method && new RegExp(`^${pattern}$`).test(path);
  });
  assert.is(found.length, 1, route);
  return found[0]?.events ?? null;
}

export interface Recording {
  answer: Answer;
  events: RecordedEvent[];
}

/**
 * Makes a request, and returns what it recorded in the workspace, which must be of types that its operation declares
 * and about each resource once. The event that the answer names is one of them.
 */
export async function recordingOf(
  tandem: TestService,
  workspaceId: string,
  route: string,
  options: CallOptions & { key: string },
): Promise<Recording> {
  const answer = await tandem.call(route, undefined, options);
  const requestId = answer.headers.get('x-request-id');
  const events = (await recordedEvents(tandem, workspaceId)).filter((event) => event.requestId === requestId);
  const declared = declaredFor(route);
  assert.ok(declared, `${route} declares its events`);
  for (const { type } of events) assert.ok(declared.includes(type), `${route} declares ${type}`);
  assert.is(
    new Set(events.map(({ objectId }) => objectId)).size,
    events.length,
    `${route}: one event of each resource`,
  );
  const named = answer.headers.get('idempotency-replayed') ? null : answer.headers.get('tandem-event');
  assert.ok(named === null || events.some(({ id }) => id === named), `${route} names an event that it recorded`);
  return { answer, events };
}

/** As `recordingOf`; checks the status, and returns the body with the events in brief. */
export async function doing(
  tandem: TestService,
  { workspaceId, key }: { workspaceId: string; key: string },
  route: string,
  body?: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) {
  const { answer, events } = await recordingOf(tandem, workspaceId, route, { key, body, headers });
  assert.is(answer.status, status, answer.text);
  return { body: answer.body, events: events.map(brief), recorded: events };
}
