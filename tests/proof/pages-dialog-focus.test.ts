import { setTimeout } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { button, hastyFrames, lookAtFocus, overlay } from '../support/dialog-focus.ts';
import { asks, cardOf } from '../support/inbox-fixtures.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';
import { operationsOfRequest } from '../support/page-operations.ts';
import { callsOf, password } from '../support/people.ts';
import { ScriptedEngine } from '../support/scripted-engine.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

/* Where the focus is after a dialog: on what opened it, or on the heading of the page where that is gone. */

const engine = new ScriptedEngine();
const test = pageSuite('pages: where dialogs leave the focus', async () => ({ engine }));

const desk = { viewport: { width: 1280, height: 900 } };

const heading = (page: Page) => page.locator('h1');
const menuOfPage = (page: Page) => page.getByRole('main').getByRole('button', { name: 'More', exact: true });

async function chooseIn(page: Page, menu: Locator, entry: string): Promise<void> {
  await menu.click();
  await page.getByRole('menuitem', { name: entry }).click();
}

const presses = (name: string) => (page: Page) => button(page, name).click();
const chooses = (menu: (page: Page) => Locator, entry: string) => (page: Page) => chooseIn(page, menu(page), entry);

async function windowOf(stage: Stage) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const window = await stage.window({ ...desk, as: ada, expected: expectedFailures });
  await window.page.addInitScript(hastyFrames);
  const made = async (path: string, body: object): Promise<string> => bodyOf(await call(`POST ${path}`, body), 201).id;
  return { ada, call, window, made };
}

test.promise('forms in dialogs, opened by a button and by the entry of a menu', async (stage) => {
  const { window, made } = await windowOf(stage);
  const list = await made('/todo-lists', { name: 'Garden' });
  const chat = await made('/chats', { title: 'Talk', message: 'Hello' });
  const view = await made('/views', { name: 'Mine', query: { priority: ['urgent'] } });
  const saves = presses('Save');
  await lookAtFocus(window, `/lists/${list}`, 'Garden', {
    name: 'the name of a list',
    open: chooses(menuOfPage, 'Rename…'),
    opener: menuOfPage,
    confirm: saves,
    operation: 'updateTodoList',
  });
  await lookAtFocus(window, `/chats/${chat}`, 'Talk', {
    name: 'the title of a chat',
    open: presses('Rename'),
    opener: (page) => button(page, 'Rename'),
    confirm: saves,
    operation: 'updateChat',
  });
  await lookAtFocus(window, `/views/${view}`, 'Mine', {
    name: 'a view',
    open: chooses(menuOfPage, 'Rename or share…'),
    opener: menuOfPage,
    confirm: saves,
    operation: 'updateView',
  });
  await lookAtFocus(window, '/todos?priority=urgent', 'Todos', {
    name: 'a new view',
    open: presses('Save as view'),
    opener: (page) => button(page, 'Save as view'),
    confirm: async (page) => {
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Fresh');
      await saves(page);
    },
    operation: 'createView',
    after: (page) => page.locator('h1', { hasText: 'Fresh' }),
  });
});

test.promise('questions, also where the row with the button goes, or the page', async (stage) => {
  const { window, call, made } = await windowOf(stage);
  for (const name of ['Old one', 'Old two'])
    bodyOf(await call(`PATCH /todo-lists/${await made('/todo-lists', { name })}`, { archived: true }));
  const view = await made('/views', { name: 'Mine', query: { priority: ['urgent'] } });
  const todo = await made('/todos', { title: 'Talked about' });
  await made(`/todos/${todo}/comments`, { text: 'The only one' });
  await lookAtFocus(window, '/lists', 'Lists', {
    name: 'deletes a list',
    open: presses('Delete: Old one'),
    opener: (page) => button(page, 'Delete: Old one'),
    confirm: presses('Delete list'),
    operation: 'deleteTodoList',
    after: heading,
    goes: (page) => button(page, 'Delete: Old one'),
  });
  await lookAtFocus(window, `/todos/${todo}`, 'Talked about', {
    name: 'deletes a comment',
    open: presses('Delete: comment'),
    opener: (page) => button(page, 'Delete: comment'),
    confirm: presses('Delete'),
    operation: 'deleteTodoComment',
    after: heading,
    goes: (page) => page.getByText('The only one'),
  });
  await lookAtFocus(window, `/views/${view}`, 'Mine', {
    name: 'deletes a view',
    open: chooses(menuOfPage, 'Delete the view…'),
    opener: menuOfPage,
    confirm: presses('Delete view'),
    operation: 'deleteView',
    after: (page) => page.locator('h1', { hasText: 'Todos' }),
  });
});

test.promise('the dialogs of todos, by their keys and from the bar of selected ones', async (stage) => {
  const { window, made, call } = await windowOf(stage);
  await agentOf({ call }, { name: 'Researcher' });
  await made('/todos', { title: 'Plant' });
  const { page } = window;
  const opener = () => page.getByRole('row', { name: /^Plant/ });
  const confirm = presses('Assign and start');
  const openBy = (key: string) => async () => {
    await opener().focus();
    await page.keyboard.press(key);
  };
  const finder = async () => {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  const assignee = (shown: Page) => button(shown, 'Assignee of the selected todos');
  await lookAtFocus(
    window,
    '/todos',
    'Todos',
    { name: 'status', open: openBy('s'), opener, confirm: finder },
    { name: 'labels', open: openBy('Shift+L'), opener, confirm: presses('Save') },
    { name: 'keys', open: openBy('?'), opener, confirm: presses('Close') },
    { name: 'palette', open: openBy('Control+k'), opener, confirm: () => page.keyboard.press('Escape') },
    {
      name: 'an agent, in the place of the dialog in which it is found',
      open: async () => {
        await openBy('a')();
        await page.keyboard.type('resea');
        await page.keyboard.press('Enter');
        await page.getByRole('alertdialog').waitFor();
      },
      opener,
      confirm,
    },
    {
      name: 'an agent for selected todos',
      open: async () => {
        if ((await page.locator('.bulk-bar').count()) === 0) await openBy('x')();
        await chooseIn(page, assignee(page), 'Researcher (agent)');
      },
      opener: assignee,
      confirm,
    },
    {
      name: 'a day for selected todos',
      open: () => button(page, 'Due date').click(),
      opener: () => button(page, 'Due date'),
      confirm: finder,
    },
  );
});

test.promise('an agent for a card of the board, which moves', async (stage) => {
  const { window, made, call } = await windowOf(stage);
  await agentOf({ call }, { name: 'Researcher' });
  await made('/todos', { title: 'Sow' });
  const { page } = window;
  const mover = () => button(page, 'Move “Sow” to…');
  await lookAtFocus(window, '/todos?layout=board&group=assignee', 'Todos', {
    name: 'an agent on the board',
    open: async () => {
      await page.getByRole('heading', { name: /^Researcher/ }).waitFor();
      await chooseIn(page, mover(), 'Researcher');
    },
    opener: mover,
    confirm: presses('Assign and start'),
    after: () => page.locator('.board a[aria-label^="Sow"]'),
  });
});

test.promise('questions about more than one thing, and before a change of the sign-in', async (stage) => {
  const { ada, window } = await windowOf(stage);
  const { page } = window;
  const calls = ['Order desks', 'Order chairs'].map((title): [string, unknown] => ['create_todo', { title }]);
  await asks(stage, engine, ada, calls, 'Buyer');
  const card = cardOf(window, /Order desks/);
  await lookAtFocus(window, '/inbox', 'Inbox', {
    name: 'approves all',
    open: () => card.getByRole('button', { name: 'Approve all 2' }).click(),
    opener: () => card.getByRole('button', { name: 'Approve all 2' }),
    confirm: () => overlay(page).getByRole('button', { name: 'Approve all' }).click(),
    operation: 'decideApproval',
    after: heading,
    goes: () => card,
  });
  const forget = `update recent_authentications set authenticated_at = now() - interval '11 minutes' where credential_id = $1`;
  await stage.tandem.db.rows(forget, [ada.session.id]);
  await lookAtFocus(window, '/settings/security', 'Security', {
    name: 'confirms who it is',
    open: presses('Set up an app'),
    opener: () => button(page, 'Set up an app'),
    confirm: async () => {
      await overlay(page).getByLabel('Password', { exact: true }).fill(password);
      await overlay(page).getByRole('button', { name: 'Confirm' }).click();
    },
    operation: 'reauthenticate',
    after: heading,
    goes: () => button(page, 'Set up an app'),
  });
});

test.promise('the entry of a menu takes away the row of the menu', async (stage) => {
  const { window, made } = await windowOf(stage);
  const { page, goTo } = window;
  const parentTodoId = await made('/todos', { title: 'Whole' });
  await made('/todos', { title: 'Part', parentTodoId });
  await goTo(`/todos/${parentTodoId}`, 'Whole');
  await chooseIn(page, button(page, 'More for “Part”'), 'Take it out');
  await button(page, 'More for “Part”').waitFor({ state: 'detached' });
  await heading(page).and(page.locator(':focus')).waitFor();
});

test.promise('a dialog that was closed while it saved does not close the next one', async (stage) => {
  const { window, made, call } = await windowOf(stage);
  const { page } = window;
  const chat = await made('/chats', { title: 'Talk', message: 'Hello' });
  bodyOf(await call(`PATCH /todo-lists/${await made('/todo-lists', { name: 'Old one' })}`, { archived: true }));
  for (const [path, title, opener, confirm, operation] of [
    [`/chats/${chat}`, 'Talk', 'Rename', 'Save', 'updateChat'],
    ['/lists', 'Lists', 'Delete: Old one', 'Delete list', 'deleteTodoList'],
  ] as const) {
    await window.goTo(path, title);
    const held = await breakOperations(page, (id) => id === operation, 'slow');
    await button(page, opener).click();
    await button(page, confirm).click();
    await held.asked;
    await page.keyboard.press('Escape');
    await overlay(page).waitFor({ state: 'detached' });
    await button(page, opener).click();
    await overlay(page).waitFor();
    const answered = page.waitForResponse((response) =>
      operationsOfRequest('POST', response.url()).includes(operation),
    );
    if (operation === 'deleteTodoList') await page.route(/todoLists.list/, (route) => route.abort());
    await Promise.all([answered, held.mend()]);
    await setTimeout(500);
    assert.is(await overlay(page).count(), 1, operation);
  }
});

test.run();
