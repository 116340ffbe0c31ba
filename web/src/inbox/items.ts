import type { Notification } from '../api/queries.ts';
import type { ShownApproval } from '../approvals/queries.ts';
import type { RunOfTodo, Todo } from '../runs/queries.ts';
import type { Snooze } from './queries.ts';

/* What the inbox lists, in one order. */

/** Something that needs a person; `at` is the instant that it is ordered by. */
export type Item = { id: string; at: string } & (
  | { kind: 'approval'; approval: ShownApproval }
  | { kind: 'run'; run: RunOfTodo }
  | { kind: 'suggestion'; todo: Todo }
);

/** Items of one kind, the newest first. */
export interface Source<Each> {
  items: readonly Each[];
  /** Whether older ones are not loaded. */
  isMore: boolean;
}

/** Items of several kinds, the newest first. Items that may have unloaded ones before them are left out. */
export function newestFirst<Each extends { id: string; at: string }>(sources: readonly Source<Each>[]): Each[] {
  const ends = sources.filter(({ isMore }) => isMore).map(({ items }) => items.at(-1)?.at ?? '');
  const horizon = ends.sort().at(-1) ?? '';
  return sources
    .flatMap(({ items }) => items)
    .filter(({ at }) => at >= horizon)
    .sort((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id));
}

/** What needs a person, in the form in which it is listed. */
export const itemOf = {
  approval: (approval: ShownApproval): Item => ({
    id: approval.approval.id,
    at: approval.approval.requestedAt,
    kind: 'approval',
    approval,
  }),
  run: (run: RunOfTodo): Item => ({
    id: run.run.id,
    at: run.run.finishedAt ?? run.run.startedAt,
    kind: 'run',
    run,
  }),
  suggestion: (todo: Todo): Item => ({ id: todo.id, at: todo.createdAt, kind: 'suggestion', todo }),
};

/** What was put off stands where it would if it had come when it was back. */
export function broughtBack(items: readonly Item[], back: ReadonlyMap<string, string>): Item[] {
  const moved = items.map((item) => ({ ...item, at: [item.at, back.get(item.id) ?? ''].sort()[1] ?? item.at }));
  return newestFirst([{ items: moved, isMore: false }]);
}

/** What is put off and would be listed otherwise. What was decided meanwhile is not. */
export function snoozedOf(
  ahead: ReadonlyMap<string, Snooze> | undefined,
  items: readonly Item[],
  notifications: readonly Notification[],
  nameOf: (item: Item) => string,
): { snooze: Snooze; name: string }[] {
  const open = items.filter((item) => item.kind !== 'approval' || item.approval.isPending);
  const names = new Map([
    ...notifications.map(({ id, title }) => [id, title] as const),
    ...open.map((item) => [item.id, nameOf(item)] as const),
  ]);
  return [...(ahead?.values() ?? [])].flatMap((snooze) => {
    const name = names.get(snooze.subjectId);
    return name === undefined ? [] : [{ snooze, name }];
  });
}

/** The notifications without those about an approval or a failed run that is listed by itself. */
export function withoutListed(notifications: readonly Notification[], items: readonly Item[]): Notification[] {
  const asking = new Set<string>();
  const failed = new Set<string>();
  for (const item of items) {
    if (item.kind === 'approval') asking.add(item.approval.approval.chatId);
    if (item.kind === 'run') failed.add(item.run.run.chatId);
  }
  return notifications.filter(({ kind, chatId, isRead }) => {
    if (kind === 'approval_requested') return isRead || !asking.has(chatId ?? '');
    return kind !== 'run_failed' || !failed.has(chatId ?? '');
  });
}
