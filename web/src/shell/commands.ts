import { inboxOnPage, type RowAction } from '../inbox/inbox-actions.ts';
import type { ListActions, PeekActions } from '../todos/list-actions.ts';
import type { IconName } from '../ui/icon-paths.ts';

/*
 * The registry of commands. The palette, the tooltips, the keys and the sheet of keys are made of it and know no command
 * by themselves.
 */

/** What a command may do, and what it depends on. */
export interface CommandContext {
  go(path: string): void;
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

const to = (path: string) => (context: CommandContext) => context.go(path);
const page = (id: string, title: string, path: string, icon: IconName, keys?: string): Command => ({
  id,
  title,
  section: 'Go to',
  scope: 'everywhere',
  icon,
  ...(keys !== undefined && { keys }),
  run: to(path),
});

const hasList = ({ list }: CommandContext) => list !== null;
const isInList = ({ list }: CommandContext) => list?.isFocused() ?? false;
const hasSelection = ({ list }: CommandContext) => list?.hasSelection() ?? false;

/** A command of the list of todos. */
const inList = (
  id: string,
  title: string,
  keys: string,
  run: (list: ListActions) => void,
  more: Partial<Command> = {},
): Command => ({
  id,
  title,
  section: 'List',
  scope: 'list',
  keys,
  when: hasList,
  ...more,
  run: ({ list }) => list && run(list),
});

const moves = { when: isInList, repeats: true, always: true } as const;
const steps = { when: ({ list }: CommandContext) => list?.isManual() ?? false, repeats: true } as const;
const listCommands: readonly Command[] = [
  inList('next-todo', 'Next todo', 'j', (list) => list.move(1), { repeats: true }),
  inList('previous-todo', 'Previous todo', 'k', (list) => list.move(-1), { repeats: true }),
  inList('row-down', 'One row down', 'ArrowDown', (list) => list.move(1), moves),
  inList('row-up', 'One row up', 'ArrowUp', (list) => list.move(-1), moves),
  inList('first-row', 'First row', 'Home', (list) => list.move('first'), moves),
  inList('last-row', 'Last row', 'End', (list) => list.move('last'), moves),
  inList('open-todo', 'Open the todo', 'Enter', (list) => list.open(), { when: isInList, always: true }),
  inList('peek-todo', 'Show the todo beside the list', 'Space', (list) => list.peek(), {
    when: isInList,
    always: true,
  }),
  inList('select-todo', 'Select the todo', 'x', (list) => list.select()),
  inList('extend-down', 'Extend the selection down', 'Shift+ArrowDown', (list) => list.move(1, true), moves),
  inList('extend-up', 'Extend the selection up', 'Shift+ArrowUp', (list) => list.move(-1, true), moves),
  inList('step-up', 'Move the todo up', 'Alt+ArrowUp', (list) => list.step(-1), steps),
  inList('step-down', 'Move the todo down', 'Alt+ArrowDown', (list) => list.step(1), steps),
  inList('select-all', 'Select all loaded todos', '$mod+a', (list) => list.selectAll(), {
    when: isInList,
    always: true,
  }),
  inList('clear-selection', 'Clear the selection', 'Escape', (list) => list.clearSelection(), {
    when: hasSelection,
    always: true,
  }),
  inList('complete', 'Mark as done, or open again', 'e', (list) => list.complete()),
  inList('label-todos', 'Put labels on, or take them off', 'Shift+L', (list) => list.label(), { words: 'tags' }),
  inList('archive-todos', 'Archive', '[Shift]+#', (list) => list.archive()),
  inList('undo', 'Undo the last change', '$mod+z', (list) => list.undo()),
];

/** A command of the inbox: of a row where `action` is given, else a move of the focus. */
const inInbox = (id: string, title: string, keys: string, does: RowAction | number): Command => ({
  id,
  title,
  section: 'List',
  scope: 'inbox',
  keys,
  ...(typeof does === 'number' && { repeats: true as const }),
  when: () => (typeof does === 'number' ? inboxOnPage() !== null : inboxOnPage()?.actions()[does] !== undefined),
  run: () => (typeof does === 'number' ? inboxOnPage()?.move(does) : inboxOnPage()?.actions()[does]?.()),
});

const inboxCommands: readonly Command[] = [
  inInbox('next-in-inbox', 'Next in the inbox', 'j', 1),
  inInbox('previous-in-inbox', 'Previous in the inbox', 'k', -1),
  inInbox('approve', 'Approve: press it twice', 'a', 'approve'),
  inInbox('deny', 'Deny with a note', 'd', 'deny'),
  inInbox('accept-suggestion', 'Accept the suggestion', 'y', 'accept'),
  inInbox('dismiss-suggestion', 'Dismiss the suggestion', 'n', 'dismiss'),
  inInbox('toggle-read', 'Mark as read or unread', 'u', 'toggleRead'),
];

/** A command of the todo beside a list. */
const ofPeek = (id: string, title: string, keys: string, more: Partial<Command> = {}): Command => ({
  id,
  title,
  section: 'List',
  scope: 'todo',
  keys,
  ...more,
  when: ({ peek }) => peek != null,
  run: ({ peek }) => peek?.close(),
});

/** The commands of every page. */
export const commands: readonly Command[] = [
  page('go-inbox', 'Inbox', '/inbox', 'inbox', 'g i'),
  page('go-today', 'Today', '/today', 'today', 'g t'),
  page('go-mine', 'My todos', '/mine', 'person', 'g m'),
  page('go-todos', 'Todos', '/todos', 'check', 'g a'),
  page('go-archive', 'Archive', '/archive', 'archive'),
  page('go-chats', 'Chats', '/chats', 'chat', 'g c'),
  page('go-runs', 'Runs', '/runs', 'play', 'g u'),
  page('go-agents', 'Agents', '/agents', 'agent'),
  page('go-schedules', 'Schedules', '/schedules', 'repeat'),
  page('go-usage', 'Usage', '/usage', 'clock'),
  page('go-captures', 'Captures', '/captures', 'captures', 'g p'),
  page('go-record', 'Record', '/record', 'microphone', 'g r'),
  page('go-notifications', 'Notifications', '/notifications', 'bell', 'g n'),
  page('go-settings', 'Settings', '/settings', 'settings', 'g s'),
  page('go-profile', 'Profile', '/settings/profile', 'person'),
  page('go-appearance', 'Appearance', '/settings/appearance', 'appearance'),
  page('go-api-keys', 'API keys', '/settings/api-keys', 'key'),
  page('go-connected-apps', 'Connected apps', '/settings/connected-apps', 'apps'),
  page('go-members', 'Members', '/settings/members', 'members'),
  page('go-labels', 'Labels', '/settings/labels', 'label'),
  page('go-workspace', 'Workspace settings', '/settings/workspace', 'workspace'),
  page('go-notification-settings', 'Notification settings', '/settings/notifications', 'bell'),
  page('go-sessions', 'Sessions', '/settings/sessions', 'sessions'),
  page('go-security', 'Security', '/settings/security', 'shield'),
  {
    id: 'new-todo',
    title: 'New todo',
    section: 'Create',
    scope: 'everywhere',
    icon: 'plus',
    keys: 'c',
    words: 'add create task',
    run: to('/todos#new'),
  },
  {
    id: 'new-note',
    title: 'New note',
    section: 'Create',
    scope: 'everywhere',
    icon: 'note',
    words: 'capture write',
    run: to('/captures/new'),
  },
  ...listCommands,
  ...inboxCommands,
  ofPeek('close-peek', 'Close the todo beside the list', '[Alt]+[Control]+]'),
  ofPeek('leave-peek', 'Go back to the list', 'Escape', { always: true }),
  {
    id: 'palette',
    title: 'Find a command',
    section: 'View',
    scope: 'everywhere',
    icon: 'search',
    keys: '$mod+k',
    // It is open where it could be chosen.
    when: () => false,
    run: (context) => context.openPalette(),
  },
  {
    id: 'shortcuts',
    title: 'Keyboard shortcuts',
    section: 'View',
    scope: 'everywhere',
    icon: 'keyboard',
    keys: '[Shift]+?',
    words: 'help keys',
    run: (context) => context.openShortcuts(),
  },
  {
    id: 'sidebar',
    title: 'Collapse or expand the sidebar',
    section: 'View',
    scope: 'everywhere',
    icon: 'sidebar',
    // On some keyboards the bracket needs AltGr, which browsers report as Alt and Ctrl.
    keys: '[Alt]+[Control]+[',
    when: ({ hasSidebar }) => hasSidebar,
    run: (context) => context.toggleSidebar(),
  },
  {
    id: 'sign-out',
    title: 'Sign out',
    section: 'Account',
    scope: 'everywhere',
    icon: 'back',
    words: 'log out leave',
    run: (context) => context.signOut(),
  },
];

/** The command with an id. @throws Error for an unknown one. */
export function commandOf(id: string): Command {
  const command = commands.find((each) => each.id === id);
  if (!command) throw new Error(`There is no command ${id}.`);
  return command;
}
