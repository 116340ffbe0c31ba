import * as assert from 'uvu/assert';
import { commands } from '../../web/src/shell/commands.ts';
import { pageSuite, type Window } from '../support/browser.ts';
import { focusInside } from '../support/dialog-focus.ts';
import { press, pressAtOnce } from '../support/keyboard.ts';
import { callsOf } from '../support/people.ts';

const test = pageSuite('pages: the shell');

const pathOf = ({ page }: Window) => new URL(page.url()).pathname;

test.promise('the keyboard alone goes anywhere, and the focus is on the heading of the new page', async (stage) => {
  const window = await stage.window({ as: await stage.person() });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  assert.is(await page.getByRole('link', { name: 'Chats' }).getAttribute('title'), 'Chats: G C');
  await pressAtOnce(window, 'g', 'c');
  await sees('Chats');
  await page.locator('h1:focus', { hasText: 'Chats' }).waitFor();
  await press(window, 'Control+k');
  await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
  await page.keyboard.type('memb');
  await page.getByRole('option', { name: 'Members' }).waitFor();
  await press(window, 'Enter');
  await sees('Members');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(window, 'c');
  await sees('Todos');
  await page.locator('input[name="title"]:focus').waitFor();
});

test.promise('where no list or view is found, `C` adds a todo to all todos', async (stage) => {
  const window = await stage.window({ as: await stage.person() });
  const { page, goTo, sees } = window;
  for (const [path, title] of [
    ['/lists/', 'List not found'],
    ['/views/', 'View not found'],
  ] as const) {
    await goTo(path + crypto.randomUUID(), title);
    await press(window, 'c');
    await sees('Todos');
    await page.locator('input[name="title"]:focus').waitFor();
    await page.goBack();
    await sees(title);
  }
});

test.promise('the sheet lists every command that has keys, as the registry has them', async (stage) => {
  const window = await stage.window({ as: await stage.person() });
  const { page, goTo } = window;
  await goTo('/chats', 'Chats');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).focus();
  await press(window, '?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.waitFor();
  await focusInside(page);
  const titles = await sheet.locator('dt').allTextContents();
  // It is read from its beginning.
  assert.is(await page.evaluate(`document.querySelector('.modal').scrollTop`), 0);
  assert.equal(titles.sort(), commands.flatMap(({ keys, title }) => (keys === undefined ? [] : [title])).sort());
  await press(window, 'g', 't');
  assert.is(pathOf(window), '/chats', 'no command starts behind a dialog');
  await press(window, 'Escape');
  await sheet.waitFor({ state: 'detached' });
  await page.locator('[aria-label="Keyboard shortcuts"]:focus').waitFor();
});

test.promise(
  'typed text and a composition start no command, and neither do keys that are switched off',
  async (stage) => {
    const window = await stage.window({ as: await stage.person() });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    await page.getByLabel('Title').focus();
    await press(window, 'g', 'c', '[', '?');
    assert.is(await page.getByLabel('Title').inputValue(), 'gc[?');
    assert.is(pathOf(window), '/todos');
    await page.getByRole('heading', { name: 'Todos', level: 1 }).focus();
    await page.evaluate(
      "for (const key of ['g', 'c']) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, code: 'Key' + key.toUpperCase(), bubbles: true, isComposing: true }))",
    );
    assert.is(pathOf(window), '/todos');

    await goTo('/settings/appearance', 'Appearance');
    await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).focus();
    await press(window, 'Space');
    for (const again of [false, true]) {
      if (again) await goTo('/settings/appearance', 'Appearance');
      await page.getByRole('checkbox', { name: 'Keyboard shortcuts', checked: false }).waitFor();
      await page.getByRole('heading', { name: 'Appearance', level: 1 }).focus();
      await press(window, 'g', 't', '?', 'Control+k');
      assert.is(pathOf(window), '/settings/appearance');
      assert.is(await page.getByRole('dialog').count(), 0);
    }
    await page.getByRole('button', { name: 'Find a command' }).click();
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
  },
);

test.promise('the palette makes a todo of what is typed', async (stage) => {
  const window = await stage.window({ as: await stage.person() });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await press(window, 'Control+k');
  await page.getByRole('combobox', { name: 'Find a command' }).fill('Water the ferns');
  await page.getByRole('option', { name: 'Create todo “Water the ferns”' }).waitFor();
  await press(window, 'Enter');
  await page.getByRole('grid', { name: 'Todos' }).getByText('Water the ferns').waitFor();
});

test.promise('a new person is welcomed; afterwards the start is the list page that was used last', async (stage) => {
  const ada = await stage.person();
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/', 'Welcome');
  await page.getByLabel('Title').fill('Learn to fly');
  await page.getByRole('button', { name: 'Add todo' }).click();
  await sees('Todos');
  await page.getByRole('grid', { name: 'Todos' }).getByText('Learn to fly').waitFor();
  await goTo('/chats', 'Chats');
  await goTo('/settings/profile', 'Profile');
  await goTo('/', 'Chats');
  const other = await stage.window({ as: ada });
  await other.goTo('/', 'Todos');
});

test.promise('the first steps stay in the sidebar, ticked when they are done, until they are hidden', async (stage) => {
  const ada = await stage.person();
  const { page, goTo, sees, axe } = await stage.window({ as: ada });
  await goTo('/', 'Welcome');
  await page.getByLabel('Title').fill('Learn to fly');
  await page.getByRole('button', { name: 'Add todo' }).click();
  await sees('Todos');
  const steps = page.getByRole('link', { name: 'First steps 1 of 3' });
  await steps.waitFor();
  await page.reload();
  await steps.click();
  await sees('Welcome');
  const first = page.getByRole('region', { name: '1. Write your first todo' });
  await first.getByText('Done', { exact: true }).waitFor();
  assert.is(await page.getByText('Done', { exact: true }).count(), 1);
  assert.equal(await axe('all'), []);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/steps.png` });
  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await sees('Todos');
  await page.getByText('The first steps are hidden.').waitFor();
  assert.is(await steps.count(), 0);
  await page.goBack();
  await sees('Todos');
  assert.is(await steps.count(), 0);
  await goTo('/#steps', 'Welcome');
  await page.getByRole('navigation').getByRole('list', { name: 'Agents' }).waitFor();
  assert.is(await steps.count(), 0);
});

test.promise('a first step that is done elsewhere is counted at once, and once done it stays so', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo } = await stage.window({ as: ada });
  const count = (of: number) => page.getByRole('link', { name: `First steps ${of} of 3` }).waitFor();
  await goTo('/', 'Welcome');
  await count(0);
  await page.getByLabel('Message').fill('What can you do?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await count(1);
  // The step is counted with the event of the chat, which may come before the answer that leads to it.
  await page.waitForURL(/\/chats\//);
  const { body: todo } = await call('POST /todos', { title: 'Learn to fly' });
  await count(2);
  await call(`PATCH /todos/${todo.id}`, { archived: true });
  await goTo('/#steps', 'Welcome');
  await count(2);
  assert.is(await page.getByText('Done', { exact: true }).count(), 2);
});

test.promise('what is wrong with a field is shown until the field is changed', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('button', { name: 'Add todo' }).click();
  const title = page.getByLabel('Title');
  await page.getByRole('alert').getByRole('link', { name: 'Enter a title' }).click();
  assert.is(await title.getAttribute('aria-invalid'), 'true');
  await title.press('a');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  assert.is(await title.getAttribute('aria-invalid'), null);
});

test.promise('lists are in the sidebar with what is open in them, and have a page each', async (stage) => {
  const ada = await stage.person();
  const { body: list } = await stage.tandem.call(
    'POST /todo-lists',
    { name: 'Garden', emoji: '🌱' },
    { key: ada.session.token },
  );
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('link', { name: 'Garden' }).click();
  await sees('Garden');
  assert.is(new URL(page.url()).pathname, `/lists/${list.id}`);
  await page.getByLabel('Title').fill('Plant peas');
  await page.getByRole('button', { name: 'Add todo' }).click();
  await page.getByRole('grid', { name: 'Todos' }).getByText('Plant peas').waitFor();
  await page.locator('.side-link', { hasText: 'Garden' }).locator('.count', { hasText: '1' }).waitFor();
  const { body } = await stage.tandem.call(`GET /todos?todoListId=${list.id}`, undefined, { key: ada.session.token });
  assert.equal(
    body.data.map(({ title }: { title: string }) => title),
    ['Plant peas'],
  );
  await goTo('/lists/01890000-0000-7000-8000-000000000000', 'List not found');
});

test.promise('the sidebar collapses by its key, keeps its names, and stays so', async (stage) => {
  const window = await stage.window({ as: await stage.person() });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  await press(window, '[');
  for (const again of [false, true]) {
    if (again) await goTo('/todos', 'Todos');
    await page.locator('.shell.collapsed').waitFor();
  }
  await page.getByRole('link', { name: 'Chats' }).click();
  await sees('Chats');
  await press(window, '[');
  await page.locator('.shell.collapsed').waitFor({ state: 'detached' });
});

test.promise('on a phone the drawer opens and closes by the keyboard and gives the focus back', async (stage) => {
  const window = await stage.window({ as: await stage.person(), viewport: { width: 390, height: 844 } });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  const open = page.getByRole('button', { name: 'Open the navigation' });
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  await open.focus();
  await press(window, 'Enter');
  await drawer.waitFor();
  await focusInside(page);
  await press(window, 'Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.locator('[aria-label="Open the navigation"]:focus').waitFor();
  await press(window, 'Enter');
  await drawer.getByRole('link', { name: 'Settings' }).press('Enter');
  await sees('Profile');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Main pages' }).getByRole('link', { name: 'Chats' }).click();
  await sees('Chats');
  await page.locator('h1:focus', { hasText: 'Chats' }).waitFor();
});

test.run();
