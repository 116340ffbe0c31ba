/*
 * What the commands of the list act on (shell/commands.ts). The list on the page sets it; without a list, or one that is
 * empty, there is none.
 */

/** Where the focus goes: so many rows down or up, or to an end of the list. */
export type Step = number | 'first' | 'last';

/** What commands do with the list of todos. “The todos” are the selected ones, else the one in focus. */
export interface ListActions {
  /** Whether a row has the focus. */
  isFocused(): boolean;
  hasSelection(): boolean;
  /** Focuses another row. `extend`: all between the start of the selection and that row become selected. */
  move(step: Step, extend?: boolean): void;
  /** Goes to the page of the todo in focus. */
  open(): void;
  /** Selects the todo in focus, or ends that. */
  select(): void;
  selectAll(): void;
  clearSelection(): void;
  /** Marks the todos as done, or opens them again if all of them are. */
  complete(): void;
  archive(): void;
  /** Undoes the last change; before there is one, nothing. */
  undo(): void;
}

let current: ListActions | null = null;

/** The list on the page; null when there is none. */
export function listOnPage(): ListActions | null {
  return current;
}

/** Makes a list the one on the page, and returns how to end that. */
export function showList(actions: ListActions): () => void {
  current = actions;
  return () => {
    if (current === actions) current = null;
  };
}
