import type { QueryKey } from '@tanstack/react-query';
import type { TandemEvent } from 'tandem/client';
import type { EventType } from '../../../domain/events/types.ts';

/*
 * Which queries an event makes stale. A key is `[kind, workspaceId, …]`, or `[kind]` of what belongs to no workspace.
 * Ids in a key are of what it is about: the event must name them as its resource or as one of its parents.
 */

/** `kinds`: first parts of keys, with the third (`todos activity`) where only those. `all`: whatever ids they have. */
interface Concern {
  kinds: readonly string[];
  all?: readonly string[];
}

/** What a call is about, as a card of an approval compares it (approvals/subject-queries.ts). */
const subject = 'approvals subject';
const todo: Concern = { kinds: ['todos', 'runs', 'capture', subject] };
/** The names of lists are in the directory of such a card. */
const todoList: Concern = { kinds: ['todos', 'members directory', subject] };
const comment: Concern = { kinds: ['comments', 'todos activity'] };
/** What is put off does not count as unread. */
const snooze: Concern = { kinds: ['snoozes', 'notifications'] };
const reminder: Concern = { kinds: ['todos reminders'] };
const chat: Concern = { kinds: ['chats'] };
/**
 * What every message and each call of a tool changes: not which chats are open, of which the sidebar of every window
 * shows the agents and statuses.
 */
const chatContent = ['chats list', 'chats one'];
const approval: Concern = { kinds: ['chats', 'approvals', 'runs'] };
/** The minutes that work takes are known when it has ended. */
const ended: Concern = { kinds: [...todo.kinds, 'usage'] };
/** Names of agents and members are in what they work on. */
const agent: Concern = { kinds: ['agents', 'assignable', 'members', subject], all: ['todos', 'chats'] };
/** Todos show the name and the colour of their labels. */
const label: Concern = { kinds: ['labels'], all: ['todos'] };
const view: Concern = { kinds: ['views'] };
const member: Concern = { ...agent, kinds: [...agent.kinds, 'workspaces', 'identity'] };
const skill: Concern = { kinds: ['agents', subject] };
const capture: Concern = { kinds: ['captures', 'capture', subject] };
const notification: Concern = { kinds: ['notifications'] };
const workspace: Concern = { kinds: ['identity', 'workspaces', 'usage'] };
const invitation: Concern = { kinds: ['invitations'] };
const apiKey: Concern = { kinds: ['apiKeys'] };
const connectedApp: Concern = { kinds: ['connectedApps'] };
const webhookEndpoint: Concern = { kinds: ['webhooks'] };

/** What may be the first of its kind, which ticks one of the first steps (todo-common/first-steps.ts). */
const first = ({ kinds }: Concern, step: string): Concern => ({ kinds: [...kinds, `firstSteps ${step}`] });

/** By the type of the event. A test compares it with the types that the service declares. */
export const concernOf: Readonly<Record<EventType, Concern>> = {
  'todo.created': first(todo, 'todo'),
  'todo.updated': todo,
  'todo.completed': todo,
  'todo.reopened': todo,
  'todo.archived': todo,
  'todo.restored': todo,
  'todo.deleted': todo,
  'todo_list.created': todoList,
  'todo_list.updated': todoList,
  'todo_list.archived': todoList,
  'todo_list.restored': todoList,
  'todo_list.deleted': todoList,
  'label.created': { kinds: ['labels'] },
  'label.updated': label,
  'label.deleted': label,
  'view.created': view,
  'view.updated': view,
  'view.deleted': view,
  'todo_run.started': todo,
  'todo_run.finished': ended,
  'todo_run.deleted': todo,
  'todo_occurrence.fired': todo,
  'todo_occurrence.updated': todo,
  'todo_occurrence.missed': todo,
  'todo_occurrence.deleted': todo,
  'comment.created': comment,
  'comment.updated': comment,
  'comment.deleted': comment,
  'reminder.created': reminder,
  'reminder.deleted': reminder,
  'snooze.created': snooze,
  'snooze.updated': snooze,
  'snooze.deleted': snooze,
  'schedule.failed': todo,
  'chat.created': first(chat, 'chat'),
  'chat.updated': { kinds: [...chatContent, subject] },
  'chat.status_changed': chat,
  'chat.archived': chat,
  'chat.restored': chat,
  'chat.deleted': chat,
  'message.created': { kinds: chatContent },
  'approval.requested': approval,
  'approval.decided': approval,
  'approval.expired': approval,
  'approval.superseded': approval,
  'approval.deleted': approval,
  'agent.created': agent,
  'agent.updated': agent,
  'agent.archived': agent,
  'agent.restored': agent,
  'skill.created': skill,
  'skill.updated': skill,
  'skill.archived': skill,
  'skill.restored': skill,
  'capture.created': capture,
  'capture.updated': capture,
  'capture.completed': capture,
  'capture.failed': capture,
  'capture.archived': capture,
  'capture.restored': capture,
  'capture.deleted': capture,
  'tag.created': capture,
  'tag.deleted': capture,
  'notification.created': notification,
  'notification.updated': notification,
  'notification.deleted': notification,
  'notification_settings.updated': { kinds: ['notificationSettings'] },
  'workspace.created': workspace,
  'workspace.updated': workspace,
  'minutes.exhausted': { kinds: ['identity'] },
  'member.added': member,
  'member.changed': member,
  'member.removed': member,
  'invitation.created': invitation,
  'invitation.accepted': invitation,
  'invitation.revoked': invitation,
  'api_key.created': apiKey,
  'api_key.revoked': apiKey,
  'connected_app.created': first(connectedApp, 'app'),
  'connected_app.updated': connectedApp,
  'connected_app.revoked': connectedApp,
  'webhook_endpoint.created': webhookEndpoint,
  'webhook_endpoint.updated': webhookEndpoint,
  'webhook_endpoint.deleted': webhookEndpoint,
};

/** First parts of the keys that some event concerns. */
export const liveKinds: ReadonlySet<string> = new Set(
  Object.values(concernOf).flatMap(({ kinds, all = [] }) => [...kinds, ...all].map((kind) => kind.split(' ')[0] ?? '')),
);

/**
 * Whether a query reads the log itself. An event is in the log only some time after the answer of the write that made
 * it.
 */
export const readsLog = ([, , name]: QueryKey): boolean => name === 'activity';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether an event makes the query of this key stale. A type that this build does not know concerns none. */
export function concerns({ type, workspaceId, data }: TandemEvent, key: QueryKey): boolean {
  const found: Concern | undefined = concernOf[type as EventType];
  if (!found) return false;
  const [kind, workspace, name] = key.map(String);
  if (kind === undefined || (workspace !== undefined && workspace !== workspaceId)) return false;
  if (found.all?.includes(kind)) return true;
  if (!found.kinds.includes(kind) && !found.kinds.includes(`${kind} ${name}`)) return false;
  // The todo that a sub-todo was moved away from is not named.
  if (name === 'tagged' && data.changedFields.includes('parentTodoId')) return true;
  const named: unknown[] = [data.id, ...Object.values(data.parents)];
  return key
    .slice(2)
    .every((part) => typeof part !== 'string' || !uuid.test(part) || named.includes(part.toLowerCase()));
}
