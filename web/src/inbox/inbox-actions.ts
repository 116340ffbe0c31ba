/*
 * What the commands of the inbox act on (shell/commands.ts). The inbox on the page sets it; on other pages there is
 * none.
 */

/** What can be done with a row by a key. */
export type RowAction = 'approve' | 'approveAll' | 'deny' | 'accept' | 'dismiss' | 'toggleRead' | 'snooze';

/** What a row does for each action that it has. */
export type RowActions = Partial<Record<RowAction, () => void>>;

/** What commands do with the inbox. */
export interface InboxActions {
  /** Focuses the row so many places further; the first one when none has the focus. */
  move(step: number): void;
  /** What the row with the focus does; empty when none has it. */
  actions(): RowActions;
}

let current: InboxActions | null = null;

/** The inbox on the page; null when there is none. */
export function inboxOnPage(): InboxActions | null {
  return current;
}

/** Makes an inbox the one on the page, and returns how to end that. */
export function showInbox(actions: InboxActions): () => void {
  current = actions;
  return () => {
    if (current === actions) current = null;
  };
}
