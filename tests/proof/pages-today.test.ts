import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { paste } from '../support/keyboard.ts';
import { breakOperations } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* The line for a new todo on “Today”. With SCREENSHOTS set to a folder, with pictures of it. */

const test = pageSuite('pages: new todos of today');
const folder = process.env.SCREENSHOTS;

test.promise('a todo that is added on “Today” is due today, unless its line says when', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo, sees, axe } = await stage.window({ as: ada, timezoneId: 'UTC' });
  const today = new Date().toISOString().slice(0, 10);
  await goTo('/today', 'Today');
  await page.keyboard.press('c');
  const line = page.locator('input[name="title"]:focus');
  await line.waitFor();
  assert.is(new URL(page.url()).pathname, '/today');
  await line.pressSequentially('Water the ferns');
  const read = page.getByRole('list', { name: 'Read from the line' });
  await read.getByText('Due today', { exact: true }).waitFor();
  assert.equal(await axe('all'), []);
  if (folder) await page.screenshot({ path: `${folder}/today-line.png` });
  await line.press('Enter');
  await page.getByRole('row', { name: /^Water the ferns, due today/ }).waitFor();
  await page.getByText('“Water the ferns” is on the list.').waitFor();

  await line.fill('Feed the cat in 3 days');
  await read.getByRole('button', { name: /^Due / }).waitFor();
  assert.is(await read.getByText('Due today', { exact: true }).count(), 0);
  await line.press('Enter');
  await page.getByText('“Feed the cat” is created. This page does not show it.').waitFor();
  if (folder) await page.screenshot({ path: `${folder}/today-elsewhere.png` });
  await line.fill('Stretch every weekday');
  await line.press('Enter');
  await page.getByText('“Stretch” is created. This page does not show it.').waitFor();
  await page.getByRole('button', { name: 'Open' }).click();
  await sees('Stretch');

  await goTo('/today', 'Today');
  await page.getByLabel('Title').focus();
  await paste(page, ['Call tomorrow', 'Write']);
  await page.getByRole('checkbox', { name: 'Read dates and names in the lines' }).uncheck();
  await page.getByRole('button', { name: 'Add 2 todos' }).click();
  await page.getByRole('row', { name: /^Call tomorrow, due today/ }).waitFor();
  const dues = async () => (await call('GET /todos?sort=createdAt&order=asc')).body.data as Record<string, string>[];
  await until(async () => (await dues()).length === 5);
  const byTitle = Object.fromEntries((await dues()).map(({ title, dueDate }) => [title, dueDate]));
  assert.is(byTitle['Water the ferns'], today);
  assert.is(byTitle.Write, today);
  assert.is(byTitle['Call tomorrow'], today);
  assert.is(byTitle.Stretch, null);
});

test.promise('that “Today” does not show a todo is said there alone, and not where the todo is open', async (stage) => {
  const window = await stage.window({ as: await stage.person(), timezoneId: 'UTC' });
  const { page, goTo, sees } = window;
  const line = page.getByLabel('Title');
  const notice = page.locator('.notice');
  await goTo('/today', 'Today');
  await line.fill('Feed the cat tomorrow');
  await line.press('Control+Enter');
  await sees('Feed the cat');
  await notice.filter({ hasText: /^“Feed the cat” is created\.$/ }).waitFor();
  assert.is(await page.getByRole('button', { name: 'Open' }).count(), 0);

  await goTo('/today', 'Today');
  const held = await breakOperations(page, (id) => id === 'createTodo', 'slow');
  await line.fill('Feed the dog tomorrow');
  await line.press('Enter');
  await held.asked;
  await page.getByRole('link', { name: 'Chats' }).click();
  await sees('Chats');
  await held.mend();
  await notice.filter({ hasText: /^“Feed the dog” is created\.$/ }).waitFor();

  await goTo('/today', 'Today');
  await line.focus();
  await paste(page, ['Call tomorrow', 'Write']);
  await page.getByRole('button', { name: 'Add 2 todos' }).click();
  await notice.filter({ hasText: /^2 todos are created\.$/ }).waitFor();
  await page.getByRole('row', { name: /^Write, due today/ }).waitFor();
  assert.is(await page.getByRole('row', { name: /^Call/ }).count(), 0);
});

test.promise(
  'on a phone the bar opens the line over “Today”, and an archived list leads to all todos',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { body: list } = await call('POST /todo-lists', { name: 'Finance' });
    await call(`PATCH /todo-lists/${list.id}`, { archived: true });
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page, goTo, sees, axe } = await stage.window({ ...options, as: ada, colorScheme: 'dark' });
    await goTo('/today', 'Today');
    assert.not(await page.getByLabel('Title').isVisible());
    await page.getByRole('link', { name: 'Add a todo' }).tap();
    const line = page.locator('input[name="title"]:focus');
    await line.fill('Water the ferns');
    if (folder) await page.screenshot({ path: `${folder}/today-phone.png` });
    assert.equal(await axe('all'), []);
    await page.getByRole('button', { name: 'Add todo' }).tap();
    await page.getByRole('row', { name: /^Water the ferns, due today/ }).waitFor();
    await goTo(`/lists/${list.id}`, 'Finance');
    await page.getByRole('link', { name: 'Add a todo' }).tap();
    await sees('Todos');
    await line.waitFor();
  },
);

test.promise('a list or view that goes while its page is open leads nowhere else', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { body: list } = await call('POST /todo-lists', { name: 'Finance' });
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/lists/${list.id}#new`, 'Finance');
  const line = page.locator('input[name="title"]:focus');
  await line.fill('Pay the rent');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Pay the rent/ }).waitFor();
  const todos = async () => bodyOf(await call('GET /todos')).data;
  await until(async () => (await todos()).length === 1);
  const [{ id }] = await todos();
  bodyOf(await call(`PATCH /todo-lists/${list.id}`, { archived: true }));
  await page.getByText('This list is archived').waitFor();
  await sees('Finance');
  bodyOf(await call(`DELETE /todos/${id}?permanent=true`));
  bodyOf(await call(`DELETE /todo-lists/${list.id}?permanent=true`));
  await sees('List not found');
  assert.is(new URL(page.url()).pathname, `/lists/${list.id}`);
  const view = bodyOf(await call('POST /views', { name: 'Urgent', query: { priority: ['urgent'] } }), 201);
  await goTo(`/views/${view.id}#new`, 'Urgent');
  await line.waitFor();
  bodyOf(await call(`DELETE /views/${view.id}`));
  await sees('View not found');
  assert.is(new URL(page.url()).pathname, `/views/${view.id}`);
});

test.run();
