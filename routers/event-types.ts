import type { EventType } from '../domain/events/types.ts';

/* Types of events that several operations record beside their own. */

/** Of an operation that may start an agent on a todo. */
export const startsAgents = ['todo_run.started', 'chat.created', 'message.created'] as const satisfies EventType[];

/** Of an operation that stops the agents at work on a todo: what they asked for is superseded. */
export const stopsAgents = [
  'todo_run.finished',
  'chat.status_changed',
  'approval.superseded',
  'notification.updated',
] as const satisfies EventType[];

/** Of a change of a todo by a patch, with its schedule and its assignees. */
export const changesTodo = [
  'todo.updated',
  'todo.completed',
  'todo.reopened',
  'todo_occurrence.deleted',
  ...startsAgents,
  ...stopsAgents,
] as const satisfies EventType[];

/** Of an operation that erases todos, with what is kept of them. */
export const erasesTodos = [
  'todo_occurrence.deleted',
  'comment.deleted',
  'reminder.deleted',
  'todo.deleted',
  'chat.updated',
  'notification.deleted',
  ...stopsAgents,
] as const satisfies EventType[];
