import type { ListActions, PeekActions, SearchActions, TodoCommands } from '../edits/list-actions.ts';
import type { IconName } from '../ui/icon-paths.ts';

/** What a command may do, and what it depends on. */
export interface CommandContext {
  go(path: string): void;
  /** The page that is shown. */
  at?: { pathname: string; search: string };
  openPalette(): void;
  openShortcuts(): void;
  toggleSidebar(): void;
  signOut(): void;
  /** Whether the window is wide enough for a sidebar. */
  hasSidebar: boolean;
  /** The list of todos on the page. */
  list: ListActions | null;
  /** The todo beside that list. */
  peek?: PeekActions | null;
  /** The todos of the list or board on the page, or the one whose page it is. */
  todos?: TodoCommands | null;
  /** The field that filters the list on the page. */
  search?: SearchActions | null;
}

/** Where the keys of a command work: on every page, or only where the commands of that scope are registered. */
export type Scope = 'everywhere' | 'list' | 'inbox' | 'todo';

export interface Command {
  id: string;
  title: string;
  /** The heading in the palette and the sheet. */
  section: 'Go to' | 'Create' | 'List' | 'View' | 'Account';
  scope: Scope;
  icon?: IconName;
  /** In the notation of tinykeys: `g t` is a sequence, `$mod` is ⌘ or Ctrl, `[Shift]` is allowed. */
  keys?: string;
  /** Its keys also work while they are held down. */
  repeats?: true;
  /** Its keys move in a control, so they also work where the keys of commands are switched off. */
  always?: true;
  /** Other words that find it in the palette. */
  words?: string;
  when?(context: CommandContext): boolean;
  run(context: CommandContext): void;
}
