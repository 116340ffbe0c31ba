import type { Scope } from '../scopes.ts';

/** The kinds of resources that events are about: `object` of their answers, with what may happen to them. */
const resources = {
  todo: ['created', 'updated', 'completed', 'reopened', 'archived', 'restored', 'deleted'],
  todo_list: ['created', 'updated', 'archived', 'restored', 'deleted'],
  label: ['created', 'updated', 'deleted'],
  view: ['created', 'updated', 'deleted'],
  todo_run: ['started', 'finished', 'deleted'],
  todo_occurrence: ['fired', 'updated', 'missed', 'deleted'],
  comment: ['created', 'updated', 'deleted'],
  reminder: ['created', 'deleted'],
  schedule: ['failed'],
  chat: ['created', 'updated', 'status_changed', 'archived', 'restored', 'deleted'],
  message: ['created'],
  approval: ['requested', 'decided', 'expired', 'superseded', 'deleted'],
  agent: ['created', 'updated', 'archived', 'restored'],
  skill: ['created', 'updated', 'archived', 'restored'],
  capture: ['created', 'updated', 'completed', 'failed', 'archived', 'restored', 'deleted'],
  tag: ['created', 'deleted'],
  notification: ['created', 'updated', 'deleted'],
  notification_settings: ['updated'],
  snooze: ['created', 'updated', 'deleted'],
  workspace: ['created', 'updated'],
  minutes: ['exhausted'],
  member: ['added', 'changed', 'removed'],
  invitation: ['created', 'accepted', 'revoked'],
  api_key: ['created', 'revoked'],
  connected_app: ['created', 'updated', 'revoked'],
  webhook_endpoint: ['created', 'updated', 'deleted'],
} as const;

type Resources = typeof resources;

/**
 * `object` of a resource that events are about. `schedule` is that of a todo, `minutes` those of the workspace. What
 * merely counts use has no events: `lastUsedAt` of credentials and apps, the minutes that work takes. Minutes that the
 * operator adds have one.
 */
export type EventObject = keyof Resources;
export type EventType = { [Object in EventObject]: `${Object}.${Resources[Object][number]}` }[EventObject];

/** All kinds of resources, and all types of events, in the order of the documents. */
export const eventObjects = Object.keys(resources) as EventObject[];
export const eventTypes = eventObjects.flatMap((object) =>
  resources[object].map((happened) => `${object}.${happened}` as EventType),
);

/** The kind of resource that an event of this type is about. */
export function objectOf(type: EventType): EventObject {
  return type.slice(0, type.indexOf('.')) as EventObject;
}

const scopeOfObject: Partial<Record<EventObject, Scope>> = {
  todo: 'todos:read',
  todo_list: 'todos:read',
  label: 'todos:read',
  view: 'todos:read',
  todo_run: 'todos:read',
  todo_occurrence: 'todos:read',
  comment: 'todos:read',
  reminder: 'todos:read',
  schedule: 'todos:read',
  chat: 'chats:read',
  message: 'chats:read',
  approval: 'chats:read',
  agent: 'agents:read',
  skill: 'agents:read',
  capture: 'captures:read',
  tag: 'captures:read',
};

/** The scope that a reader of such events needs; null: they are for sessions alone, as the operations on them are. */
export function readScopeOf(object: EventObject): Scope | null {
  return scopeOfObject[object] ?? null;
}

/** Events of security, which `AUDIT_RETENTION_DAYS` keeps longer than others. */
export const auditObjects: readonly EventObject[] = [
  'approval',
  'agent',
  'skill',
  'member',
  'invitation',
  'api_key',
  'connected_app',
  'webhook_endpoint',
  'workspace',
];
