import type { TandemInputs } from 'tandem/client';

/** A type that an endpoint may ask for: that of an event, or `*` for all. */
export type WantedType = TandemInputs['webhookEndpoints']['create']['types'][number];
type EventType = Exclude<WantedType, '*'>;

type ObjectOf<Type> = Type extends `${infer Kind}.${string}` ? Kind : never;
type VerbOf<Kind extends string, Type = EventType> = Type extends `${Kind}.${infer Verb}` ? Verb : never;
type Kind = ObjectOf<EventType>;

/** A kind of resource and what may happen to it. */
interface Resource {
  label: string;
  types: { type: EventType; label: string }[];
}

/** The name of a resource, and everything that may happen to it: a type that is missing here does not compile. */
function resourceOf<Of extends Kind>(kind: Of, label: string, verbs: Record<VerbOf<Of>, true>): Resource {
  const types = Object.keys(verbs).map((verb) => ({
    type: `${kind}.${verb}` as EventType,
    label: verb.replaceAll('_', ' '),
  }));
  return { label, types };
}

const life = { created: true, updated: true, archived: true, restored: true } as const;

/** Each kind of resource once: a kind that is missing here does not compile. */
const resources: { [Of in Kind]: Resource } = {
  todo: resourceOf('todo', 'Todo', { ...life, completed: true, reopened: true, deleted: true }),
  comment: resourceOf('comment', 'Comment', { created: true, updated: true, deleted: true }),
  todo_list: resourceOf('todo_list', 'List', { ...life, deleted: true }),
  label: resourceOf('label', 'Label', { created: true, updated: true, deleted: true }),
  view: resourceOf('view', 'Saved view', { created: true, updated: true, deleted: true }),
  todo_run: resourceOf('todo_run', 'Run of an agent', { started: true, finished: true, deleted: true }),
  todo_occurrence: resourceOf('todo_occurrence', 'Planned time', {
    fired: true,
    updated: true,
    missed: true,
    deleted: true,
  }),
  reminder: resourceOf('reminder', 'Reminder', { created: true, deleted: true }),
  schedule: resourceOf('schedule', 'Schedule', { failed: true }),
  chat: resourceOf('chat', 'Chat', { ...life, status_changed: true, deleted: true }),
  message: resourceOf('message', 'Message', { created: true }),
  approval: resourceOf('approval', 'Approval', {
    requested: true,
    decided: true,
    expired: true,
    superseded: true,
    deleted: true,
  }),
  agent: resourceOf('agent', 'Agent', life),
  skill: resourceOf('skill', 'Skill', life),
  capture: resourceOf('capture', 'Capture', { ...life, completed: true, failed: true, deleted: true }),
  tag: resourceOf('tag', 'Tag', { created: true, deleted: true }),
  notification: resourceOf('notification', 'Notification', { created: true, updated: true, deleted: true }),
  notification_settings: resourceOf('notification_settings', 'Notification settings', { updated: true }),
  snooze: resourceOf('snooze', 'Snooze', { created: true, updated: true, deleted: true }),
  workspace: resourceOf('workspace', 'Workspace', { created: true, updated: true }),
  minutes: resourceOf('minutes', 'Agent minutes', { exhausted: true }),
  member: resourceOf('member', 'Member', { added: true, changed: true, removed: true }),
  invitation: resourceOf('invitation', 'Invitation', { created: true, accepted: true, revoked: true }),
  api_key: resourceOf('api_key', 'API key', { created: true, revoked: true }),
  connected_app: resourceOf('connected_app', 'Connected app', { created: true, updated: true, revoked: true }),
  webhook_endpoint: resourceOf('webhook_endpoint', 'Webhook endpoint', { created: true, updated: true, deleted: true }),
};

/** Resources that are shown together. */
export interface Group {
  label: string;
  resources: Resource[];
}

const groupOf = (label: string, ...kinds: Kind[]): Group => ({
  label,
  resources: kinds.map((kind) => resources[kind]),
});

const named = [
  groupOf('Todos', 'todo', 'comment', 'todo_list', 'label', 'view', 'todo_run', 'todo_occurrence', 'schedule'),
  groupOf('Chats and approvals', 'chat', 'message', 'approval'),
  groupOf('Agents', 'agent', 'skill', 'minutes'),
  groupOf('Captures', 'capture', 'tag'),
  groupOf('People and the workspace', 'workspace', 'member', 'invitation'),
  groupOf('Access', 'api_key', 'connected_app', 'webhook_endpoint'),
];
const shown = new Set(named.flatMap((group) => group.resources));

/** All types of events, in groups; what is in none of those named is in the last. */
export const groups: Group[] = [
  ...named,
  { label: 'Your notifications', resources: Object.values(resources).filter((each) => !shown.has(each)) },
];

/** The types of a group. */
export function typesOf(group: Group): EventType[] {
  return group.resources.flatMap(({ types }) => types.map(({ type }) => type));
}

/** What an endpoint asks for, in a few words. */
export function typesLine(types: readonly string[]): string {
  if (types.includes('*')) return 'All events';
  const [first, second, ...more] = types;
  if (more.length > 0) return `${first}, ${second} and ${more.length} more`;
  return [first, second].filter(Boolean).join(', ');
}
