import type { NotificationKind } from './shapes.ts';

/** What a notification refers to. */
export interface Subject {
  kind: NotificationKind;
  todoId: string | null;
  chatId: string | null;
}

/** The path of the page that a notification of a kind is about; null for one that has none here. */
const pages: Record<NotificationKind, (subject: Subject) => string | null> = {
  todo_due: ({ todoId }) => todoId && `/todos/${todoId}`,
  todo_reminder: ({ todoId }) => todoId && `/todos/${todoId}`,
  mentioned: ({ todoId }) => todoId && `/todos/${todoId}`,
  // An approval is decided, and a run is read, in its chat.
  approval_requested: ({ chatId }) => chatId && `/chats/${chatId}`,
  run_failed: ({ chatId }) => chatId && `/chats/${chatId}`,
  minutes_exhausted: () => '/settings/workspace',
  webhook_disabled: () => '/settings/webhooks',
  // The workspace is another one, and the link to join it is not stored.
  invited: () => null,
};

/** The address of the page of what a notification is about; null where there is none. */
export function pageOfSubject(publicUrl: string, subject: Subject): string | null {
  const path = pages[subject.kind](subject);
  return path === null ? null : `${publicUrl}${path}`;
}
