import type { IconName } from '../ui/icon-paths.ts';
import type { Command, CommandContext } from './command.ts';
import { inboxCommands, listCommands, peekCommands } from './list-commands.ts';

/*
 * The registry of commands. The palette, the tooltips, the keys and the sheet of keys are made of it and know no
 * command by themselves.
 */

/** Where a todo is added: the form of the list that is shown, or else of that of all todos. */
export function newTodoPath({ pathname, search } = { pathname: '', search: '' }): string {
  const isOnList = /^\/(todos|today|mine|lists\/[^/]+|views\/[^/]+)$/.test(pathname);
  return isOnList ? `${pathname}${search}#new` : '/todos#new';
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

/** The commands of every page. */
export const commands: readonly Command[] = [
  page('go-inbox', 'Inbox', '/inbox', 'inbox', 'g i'),
  page('go-today', 'Today', '/today', 'today', 'g t'),
  page('go-mine', 'My todos', '/mine', 'person', 'g m'),
  page('go-todos', 'Todos', '/todos', 'check', 'g a'),
  page('go-lists', 'Lists', '/lists', 'captures', 'g l'),
  page('go-archive', 'Archive', '/archive', 'archive'),
  page('go-chats', 'Chats', '/chats', 'chat', 'g c'),
  page('go-runs', 'Runs', '/runs', 'play', 'g u'),
  page('go-agents', 'Agents', '/agents', 'agent'),
  page('go-schedules', 'Schedules', '/schedules', 'repeat', 'g s'),
  page('go-usage', 'Usage', '/usage', 'clock'),
  page('go-captures', 'Captures', '/captures', 'captures', 'g p'),
  page('go-record', 'Record', '/record', 'microphone', 'g r'),
  page('go-notifications', 'Notifications', '/notifications', 'bell', 'g n'),
  page('go-settings', 'Settings', '/settings', 'settings', 'g ,'),
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
    run: ({ go, at }) => go(newTodoPath(at)),
  },
  {
    id: 'new-list',
    title: 'New list',
    section: 'Create',
    scope: 'everywhere',
    icon: 'plus',
    words: 'add create project',
    run: to('/lists#new'),
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
  ...peekCommands,
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
