import { pageAt } from '../navigation/pages.ts';

/* The list page that a person used last in each workspace, in this browser: where `/` leads to. */

const keyOf = (workspaceId: string) => `tandem.lastPage.${workspaceId}`;

/** Whether a path is that of a page of lists. */
function isListPage(path: string): boolean {
  const { name } = pageAt(path) ?? {};
  return ['inbox/inbox-page', 'todos/todos-page', 'chats/chats-page', 'captures/captures-page'].includes(name ?? '');
}

/** Remembers a page, if it is one of lists. */
export function rememberPage(workspaceId: string, path: string): void {
  if (!isListPage(path)) return;
  try {
    localStorage.setItem(keyOf(workspaceId), path);
  } catch {
    // Storage is disabled: `/` leads to the todos.
  }
}

/** The list page that was used last; null when there is none. */
export function lastPage(workspaceId: string): string | null {
  try {
    const path = localStorage.getItem(keyOf(workspaceId));
    return path !== null && isListPage(path) ? path : null;
  } catch {
    return null;
  }
}
