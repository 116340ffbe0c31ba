import type { FieldName } from '../edits/list-actions.ts';
import { inboxOnPage, type RowAction } from '../inbox/inbox-actions.ts';
import type { Command, CommandContext } from './command.ts';

const isInList = ({ list }: CommandContext) => list?.isFocused() ?? false;
const hasTodo = ({ list }: CommandContext) => list?.hasTodos() ?? false;
const hasSelection = ({ list }: CommandContext) => list?.hasSelection() ?? false;

/** Makes commands of what is on the page: they work where `targetOf` finds it, unless `more` says otherwise. */
const commandsOf =
  <Target>(scope: Command['scope'], targetOf: (context: CommandContext) => Target | null | undefined) =>
  (id: string, title: string, keys: string, run: (target: Target) => void, more: Partial<Command> = {}): Command => ({
    id,
    title,
    section: 'List',
    scope,
    keys,
    when: (context) => targetOf(context) != null,
    ...more,
    run: (context) => {
      const target = targetOf(context);
      if (target != null) run(target);
    },
  });

/** A command of the list of todos. */
const inList = commandsOf('list', ({ list }) => list);
/** A command of the todos on the page that are meant: of a list, of a board, or the one whose page it is. */
const ofTodos = commandsOf('list', ({ todos }) => (todos?.hasTodos() ? todos : null));
const onPage = commandsOf('list', ({ todos }) => todos);
/** A command of the todo beside a list. */
const ofPeek = commandsOf('todo', ({ peek }) => peek);

const choice = (field: FieldName, title: string, keys: string, words: string) =>
  ofTodos(`choose-${field}`, title, keys, (todos) => todos.choose(field), { words });

const moves = { when: isInList, repeats: true, always: true } as const;
const steps = { when: ({ list }: CommandContext) => list?.isManual() ?? false, repeats: true } as const;
/** The commands of a list of todos. */
export const listCommands: readonly Command[] = [
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
  inList('select-todo', 'Select the todo', 'x', (list) => list.select(), { when: hasTodo }),
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
  onPage('decide', 'Decide what its agent asks for', 'Shift+A', (todos) => todos.decide(), {
    when: ({ todos }) => todos?.waits() ?? false,
    words: 'approve deny',
  }),
  ofTodos('complete', 'Mark as done, or open again', 'e', (todos) => todos.complete()),
  choice('status', 'Set the status', 's', 'state progress'),
  choice('priority', 'Set the priority', 'p', 'urgent high low'),
  choice('due', 'Set the due date', 'd', 'day deadline'),
  choice('list', 'Move to a list', 'l', 'project'),
  choice('assignee', 'Assign to a person or an agent', 'a', 'give'),
  choice('agent', 'Run it with an agent', 'r', 'start'),
  ofTodos('schedule-todo', 'Plan a schedule', 'Shift+S', (todos) => todos.schedule(), { words: 'repeat every' }),
  ofTodos('label-todos', 'Put labels on, or take them off', 'Shift+L', (todos) => todos.label(), { words: 'tags' }),
  ofTodos('archive-todos', 'Archive', '[Shift]+#', (todos) => todos.archive()),
  onPage('undo', 'Undo the last change', '$mod+z', (todos) => todos.undo()),
  {
    id: 'search-todos',
    title: 'Search in the list',
    section: 'List',
    scope: 'list',
    keys: '[Shift]+/',
    words: 'filter find',
    when: ({ search }) => search != null,
    run: ({ search }) => search?.focus(),
  },
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

/** The commands of the inbox. */
export const inboxCommands: readonly Command[] = [
  inInbox('next-in-inbox', 'Next in the inbox', 'j', 1),
  inInbox('previous-in-inbox', 'Previous in the inbox', 'k', -1),
  inInbox('approve', 'Approve: press it twice', 'a', 'approve'),
  inInbox('approve-all', 'Approve all that its chat waits for', 'Shift+A', 'approveAll'),
  inInbox('deny', 'Deny with a note', 'd', 'deny'),
  inInbox('accept-suggestion', 'Accept the suggestion', 'y', 'accept'),
  inInbox('dismiss-suggestion', 'Dismiss the suggestion', 'n', 'dismiss'),
  inInbox('toggle-read', 'Mark as read or unread', 'u', 'toggleRead'),
  inInbox('snooze', 'Snooze until a time', 'h', 'snooze'),
];

/** The commands of the todo beside a list. */
export const peekCommands: readonly Command[] = [
  ofPeek('close-peek', 'Close the todo beside the list', '[Alt]+[Control]+]', (peek) => peek.close()),
  ofPeek('leave-peek', 'Go back to the list', 'Escape', (peek) => peek.close(), { always: true }),
];
