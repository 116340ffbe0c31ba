import type { Page } from 'playwright-core';

/* Every dialog, menu and list of options that the pages open over themselves. */

/** One of them. */
export interface Opened {
  /** The file below web/src that opens it. */
  of: string;
  /** Its role and its name, as assistive technology has them. */
  role: 'dialog' | 'alertdialog' | 'menu' | 'listbox';
  open: (page: Page) => Promise<void>;
  /** Whether only a narrow window has it. */
  isNarrow?: boolean;
}

/** A page, by its address with names of parameters, and what is opened on it. */
export interface Opening {
  at: string;
  opened: Opened[];
}

/** A button of the page. */
const button = (page: Page, name: string | RegExp) =>
  page
    .locator('main')
    .last()
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first();

/** What a button of the page opens. */
const presses = (role: Opened['role']) => (of: string, name: string | RegExp) => ({
  of: `${of}.tsx`,
  role,
  open: (page: Page) => button(page, name).click(),
});
/** A menu of the sidebar, which a narrow window has in a drawer. */
const menuOfSidebar = (name: RegExp): Opened => ({
  of: 'shell/menus.tsx',
  role: 'menu',
  open: async (page) => {
    const opener = page.getByRole('button', { name: 'Open the navigation' });
    if (await opener.isVisible()) await opener.click();
    await page.locator('aside.sidebar, .drawer-content').last().getByRole('button', { name }).click();
  },
});

const dialog = presses('dialog');
const menu = presses('menu');
const options = presses('listbox');

/** What an entry of a menu opens. */
const entry = (
  of: string,
  opener: string | RegExp,
  name: string | RegExp,
  role: Opened['role'] = 'dialog',
): Opened => ({
  of: `${of}.tsx`,
  role,
  open: async (page) => {
    await button(page, opener).click();
    await page.getByRole('menuitem', { name }).click();
  },
});

/** A question that a button of the page opens. */
export const question = presses('alertdialog');

/** What keys open while a todo of the list has the focus. */
const keys = (of: string, ...pressed: string[]): Opened => ({
  of: `${of}.tsx`,
  role: 'dialog',
  open: async (page) => {
    await page.getByRole('row').filter({ hasText: 'insurance' }).focus();
    for (const key of pressed) await page.keyboard.press(key);
  },
});

/** With a todo selected. */
const selected = (opened: Opened): Opened => ({
  ...opened,
  open: async (page) => {
    if ((await page.locator('.bulk-bar').count()) === 0) {
      await page.getByRole('row').filter({ hasText: 'insurance' }).focus();
      await page.keyboard.press('x');
    }
    await opened.open(page);
  },
});

const more = /^More$/;
const bulkAssignee = 'Assignee of the selected todos';

/** What opens over the pages, but what needs changes that are not sent or a recording that was cut off. */
export const openings: Opening[] = [
  {
    at: '/todos',
    opened: [
      ...['s', 'p', 'd', 'l', 'a', 'r'].map((key) => keys('edits/field-dialog', key)),
      {
        of: 'edits/field-dialog.tsx',
        role: 'alertdialog',
        open: async (page) => {
          await keys('', 'a').open(page);
          await page.getByRole('option', { name: 'Bookkeeper (agent)' }).click();
        },
      },
      keys('labels/label-dialog', 'Shift+L'),
      keys('shell/palette', 'Control+k'),
      keys('shell/shortcut-sheet', '?'),
      dialog('approvals/decide-dialog', /^Approve…: /),
      menu('todos/filter-bar', /^Priority: /),
      menu('todos/filter-bar', /^Assignee: /),
      menu('todos/filter-bar', /^Label: /),
      menu('todos/view-head', more),
      selected(dialog('edits/field-dialog', 'Due date')),
      selected(menu('todos/bulk-bar', 'Status of the selected todos')),
      selected(menu('todos/bulk-bar', bulkAssignee)),
      selected(entry('todos/bulk-bar', bulkAssignee, 'Bookkeeper (agent)', 'alertdialog')),
    ],
  },
  {
    at: '/todos?priority=urgent',
    opened: [dialog('todos/view-head', 'Save as view'), dialog('views/view-dialog', 'Save as view')],
  },
  {
    at: '/views/:viewId',
    opened: [
      entry('views/view-dialog', more, 'Rename or share…'),
      entry('todos/view-head', more, 'Delete the view…', 'alertdialog'),
    ],
  },
  { at: '/lists/:todoListId', opened: [entry('lists/list-dialog', more, 'Rename…')] },
  {
    at: '/todos?layout=board&group=assignee',
    opened: [
      menu('board/card', /^Move “Return/),
      entry('board/use-move', /^Move “Return/, 'Bookkeeper', 'alertdialog'),
    ],
  },
  { at: '/lists', opened: [question('lists/lists-page', /^Delete: /)] },
  {
    at: '/todos/:whole',
    opened: [
      menu('todo/sub-todo-row', /^More for /),
      question('todo/comment-row', 'Delete: comment'),
      question('schedule/schedule-card', 'Remove: the schedule'),
    ],
  },
  { at: '/todos/:archived', opened: [question('todo/actions', 'Erase')] },
  { at: '/inbox', opened: [dialog('inbox/snooze-dialog', /^Snooze: /)] },
  { at: '/chats/:chatId', opened: [dialog('chats/title-dialog', 'Rename')] },
  { at: '/chats/:asking', opened: [question('approvals/approve-all', 'Approve all 2')] },
  {
    at: '/captures',
    opened: [options('captures/capture-filters', /Kind/), options('captures/capture-filters', /Tag/)],
  },
  { at: '/captures/:captureId', opened: [question('captures/capture-head', 'Erase')] },
  { at: '/record', opened: [options('captures/microphone-field', /Microphone/)] },
  { at: '/agents/:agentId', opened: [question('agents/overview', /^Archive: /)] },
  {
    at: '/settings/members',
    opened: [
      options('settings/members', /Role of Jonas/),
      question('settings/members', /^Remove: /),
      question('settings/members', 'Leave'),
      options('settings/invitations', /^Member Role/),
      options('settings/invitations', /Who may accept/),
      question('settings/invitations', /^Withdraw: /),
    ],
  },
  { at: '/settings/workspace', opened: [question('settings/required-factor', 'Require it')] },
  { at: '/settings/labels', opened: [question('settings/labels', /^Delete: /), options('settings/labels', /Colour/)] },
  { at: '/settings/api-keys', opened: [question('settings/api-keys', /^Revoke: /)] },
  { at: '/settings/api-keys/new', opened: [options('settings/new-api-key', /Expires/)] },
  { at: '/settings/connected-apps', opened: [question('settings/connected-apps', /^Revoke: /)] },
  {
    at: '/settings/sessions',
    opened: [question('settings/sessions', /^End: /), question('settings/sessions', 'End all others')],
  },
  {
    at: '/settings/security',
    opened: [
      question('settings/security', 'Replace codes'),
      question('settings/authenticator-app', 'Remove app'),
      question('settings/passkeys', /^Delete: /),
      {
        of: 'settings/reauthentication.tsx',
        role: 'dialog',
        open: async (page) => {
          await button(page, 'Remove app').click();
          await page.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click();
        },
      },
    ],
  },
  {
    at: '/settings/webhooks/:endpointId',
    opened: [
      options('settings/webhooks/deliveries', /Show/),
      question('settings/webhooks/endpoint-actions', 'Disable'),
      question('settings/webhooks/endpoint-actions', 'Remove'),
      question('settings/webhooks/endpoint-secret', 'New secret'),
      options('settings/webhooks/send-again-since', /Events of/),
    ],
  },
  {
    at: '/settings/profile',
    opened: [
      {
        of: 'shell/drawer.tsx',
        role: 'dialog',
        isNarrow: true,
        open: (page) => page.getByRole('button', { name: 'Open the navigation' }).click(),
      },
      menuOfSidebar(/^Workspace: /),
      menuOfSidebar(/^Account: /),
    ],
  },
];
