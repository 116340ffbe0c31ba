/** What people are told of. */
export const notificationKinds = [
  'todo_due',
  'approval_requested',
  'run_failed',
  'invited',
  'minutes_exhausted',
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** Kinds that letters are sent for. An invitation brings its own letter, which nobody can switch off. */
export const letteredKinds = notificationKinds.filter((kind) => kind !== 'invited');

export function hasLetters(kind: NotificationKind): boolean {
  return letteredKinds.some((each) => each === kind);
}
