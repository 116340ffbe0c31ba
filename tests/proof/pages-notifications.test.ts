import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { holdableReads } from '../support/held-reads.ts';
import { look, looksOf } from '../support/looks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: notifications');

/** Creates notifications for a person in their own workspace, a minute apart. */
async function notifyOf({ tandem }: Stage, { session }: Person, ...titles: string[]): Promise<void> {
  for (const [place, title] of titles.entries()) {
    const clock = () => new Date(Date.now() - (titles.length - place) * 60_000);
    await notifyPeople(tandem.db, session.workspace.id, [session.user.id], { title, clock });
  }
}

const bell = ({ page }: Window, count: number | 'none') =>
  page.getByRole('link', { name: `Notifications ${count} unread` });
const rows = ({ page }: Window) =>
  page.getByRole('list', { name: 'Notifications' }).locator('strong').allTextContents();

/** Waits until the list shows exactly these. */
async function shows(window: Window, ...titles: string[]): Promise<void> {
  let shown: string[] = [];
  await until(
    async () => {
      shown = await rows(window);
      return JSON.stringify(shown) === JSON.stringify(titles);
    },
    () => `${shown.join()} is not ${titles.join()}`,
  );
}

test.promise('the bell counts what is unread and leads to it; one is marked as read, then all', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const hold = holdableReads(page, 'notifications.list');
  await goTo('/settings/members', 'Members');
  await bell(window, 'none').waitFor();
  await notifyOf(stage, ada, 'First', 'Second', 'Third');
  await page.reload();
  await bell(window, 3).click();
  await sees('Notifications');
  await shows(window, 'Third', 'Second', 'First');
  await page.getByRole('button', { name: 'Mark as read: Second' }).click();
  await bell(window, 2).waitFor();
  await page.getByText('Show unread ones only').click();
  await shows(window, 'Third', 'First');
  await page.getByText('Show unread ones only').click();
  await page.getByRole('button', { name: 'Mark as unread: Second' }).click();
  await bell(window, 3).waitFor();
  // The page learns of it from an event, and would mark it too where it shows it before the click.
  const { release } = await hold();
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Came meanwhile' });
  const marked = page.waitForResponse((response) => response.url().includes('notifications.readAll'));
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  assert.is((await marked).status(), 200);
  await release();
  await page.getByText('All notifications are marked as read.').waitFor();
  await bell(window, 1).waitFor();
  await page.getByRole('button', { name: 'Mark as read: Came meanwhile' }).waitFor();
  const { body } = await stage.tandem.call('GET /notifications?unread=true', undefined, { key: ada.session.token });
  assert.equal(
    body.data.map((each: { title: string }) => each.title),
    ['Came meanwhile'],
  );
});

test.promise('older ones are shown when asked for', async (stage) => {
  const ada = await stage.person();
  await notifyOf(stage, ada, ...Array.from({ length: 30 }, (_, place) => `Item ${place + 1}`));
  const window = await stage.window({ as: ada });
  await window.goTo('/notifications', 'Notifications');
  await window.page.getByText('Item 30', { exact: true }).waitFor();
  assert.is((await rows(window)).length, 25);
  await window.page.getByRole('button', { name: 'Show older ones' }).click();
  await window.page.getByText('Item 1', { exact: true }).waitFor();
  assert.is((await rows(window)).length, 30);
  assert.is(await window.page.getByRole('button', { name: 'Show older ones' }).count(), 0);
});

test.promise('a notification that is switched off stays off', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/settings/notifications', 'Notification settings');
  const due = page.getByRole('group', { name: /A todo is due/ });
  const [list, byEmail] = [
    due.getByRole('checkbox', { name: 'In Tandem' }),
    due.getByRole('checkbox', { name: 'By email' }),
  ];
  assert.ok(await list.isChecked());
  await due.getByText('In Tandem').click();
  await page.getByText('Your settings are saved.').waitFor();
  const saved = page.waitForResponse((response) => response.url().includes('/trpc/notifications.updateSettings'));
  await due.getByText('By email').click();
  assert.is((await saved).status(), 200);
  await page.reload();
  await due.waitFor();
  assert.equal([await list.isChecked(), await byEmail.isChecked()], [false, false]);
  assert.ok(
    await page
      .getByRole('group', { name: /An agent failed/ })
      .getByLabel('In Tandem')
      .isChecked(),
  );
  await page.getByText('This service does not send emails yet').waitFor();
  const { userId, workspaceId } = { userId: ada.session.user.id, workspaceId: ada.session.workspace.id };
  assert.is((await notifyPeople(stage.tandem.db, workspaceId, [userId])).status, 'suppressed');
  await goTo('/notifications', 'Notifications');
  await page.getByText('No notifications yet').waitFor();
  const invited = page.getByRole('group', { name: /You are invited/ });
  await page.getByRole('link', { name: 'Notification settings' }).click();
  await invited.waitFor();
  assert.is(await invited.getByRole('checkbox').count(), 1, 'the email of an invitation is always sent');
});

test.promise('an email about another workspace links to it, also through the sign-in', async (stage) => {
  const ada = await stage.person();
  const key = ada.session.token;
  const { body: other } = await stage.tandem.call('POST /workspaces', { name: 'Analytical Engine' }, { key });
  await notifyPeople(stage.tandem.db, other.id, [ada.session.user.id], { title: 'Over there' });
  const guest = await stage.window();
  await guest.goTo(`/notifications?workspace=${other.id}`, 'Sign in');
  assert.is(new URL(guest.page.url()).searchParams.get('next'), `/notifications?workspace=${other.id}`);
  const window = await stage.window({ as: ada });
  await window.goTo(`/notifications?workspace=${other.id}`, 'Notifications');
  await bell(window, 'none').waitFor();
  await window.page.getByRole('button', { name: 'Switch to Analytical Engine' }).click();
  await window.page.getByText('Over there').waitFor();
  await bell(window, 1).waitFor();
  assert.is(await window.page.getByRole('button', { name: 'Switch to Analytical Engine' }).count(), 0);
  await window.goTo(`/notifications?workspace=${crypto.randomUUID()}`, 'Notifications');
  assert.is(await window.page.getByText('The email was about').count(), 0);
});

test.promise(
  'each leads to what it is about and is read then: a todo, its chat, and a page that shows it',
  async (stage) => {
    const ada = await stage.person();
    const of = { key: ada.session.token };
    const ids = [ada.session.workspace.id, [ada.session.user.id]] as const;
    const { body: todo } = await stage.tandem.call(
      'POST /todos',
      { title: 'Order desks', content: '**Six** of them' },
      of,
    );
    const asked = await stage.tandem.call(`POST /todos/${todo.id}/runs`, {}, of);
    assert.is(asked.status, 202, asked.text);
    const { chatId } = asked.body;
    await notifyPeople(stage.tandem.db, ...ids, { title: 'Desks are due', todoId: todo.id });
    const failed = { kind: 'run_failed', title: 'An agent failed', todoId: todo.id, chatId } as const;
    await notifyPeople(stage.tandem.db, ...ids, failed);
    const window = await stage.window({ as: ada });
    const { page, goTo, sees } = window;
    await goTo('/notifications', 'Notifications');
    await bell(window, 2).waitFor();
    await page.getByRole('link', { name: 'Desks are due' }).focus();
    await page.keyboard.press('Enter');
    await sees('Order desks');
    assert.is(new URL(page.url()).pathname, `/todos/${todo.id}`);
    await page.locator('strong', { hasText: 'Six' }).waitFor();
    await bell(window, 1).waitFor();
    await page.getByRole('button', { name: 'Mark as done' }).click();
    await page.getByText('“Order desks” is done.').waitFor();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Mark as done' }).waitFor();
    await page.getByRole('link', { name: 'Open the chat' }).click();
    await page.getByRole('list', { name: 'Messages' }).waitFor();
    assert.is(new URL(page.url()).pathname, `/chats/${chatId}`);
    await bell(window, 1).click();
    await sees('Notifications');
    await page.getByRole('link', { name: 'Todo: An agent failed' }).waitFor();
    await page.getByRole('link', { name: 'An agent failed', exact: true }).click();
    await bell(window, 'none').waitFor();
    assert.is(new URL(page.url()).pathname, `/chats/${chatId}`);
    await goTo(`/todos/${crypto.randomUUID()}`, 'Todo not found');
    await goTo('/todos', 'Todos');
    await page.getByRole('grid', { name: 'Todos' }).getByRole('link', { name: 'Order desks' }).click();
    await sees('Order desks');
  },
);

test.promise(
  'a link of an email to a todo of another workspace offers the switch, and shows the todo then',
  async (stage) => {
    const ada = await stage.person();
    const key = ada.session.token;
    const home = ada.session.workspace.id;
    const { body: todo } = await stage.tandem.call('POST /todos', { title: 'Over here' }, { key });
    const { body: other } = await stage.tandem.call('POST /workspaces', { name: 'Analytical Engine' }, { key });
    const moved = await stage.tandem.call('POST /auth/sessions/current/workspace', { workspaceId: other.id }, { key });
    assert.is(moved.status, 201, moved.text);
    const { page, goTo, sees, axe } = await stage.window({ as: { ...ada, session: moved.body } });
    await goTo(`/todos/${todo.id}?workspace=${home}`, 'Todo not found');
    const offer = page.getByRole('complementary', { name: 'Another workspace' });
    await offer.waitFor();
    assert.equal(await axe(), []);
    await offer.getByRole('button').click();
    await sees('Over here');
    await offer.waitFor({ state: 'detached' });
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the page of a todo is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person();
    const content = '# Desks\n\nSix of them, [like these](https://example.com/a-very-long-address-of-a-desk-in-a-shop)';
    const todo = { title: 'Order desks for the new office in the old brewery', content, priority: 'urgent' };
    const of = { key: ada.session.token };
    const { body } = await stage.tandem.call('POST /todos', { ...todo, dueDate: '2026-03-01' }, of);
    await stage.tandem.call(`POST /todos/${body.id}/runs`, {}, of);
    const window = await stage.window({ ...options, as: ada });
    await window.goTo(`/todos/${body.id}`, todo.title);
    await window.page.getByRole('link', { name: 'Open the chat' }).waitFor();
    await look(window, `todo-${name}`);
  });
}

test.promise('the list and the switches are accessible, with and without anything in them', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  await window.goTo('/notifications', 'Notifications');
  await window.page.getByText('No notifications yet').waitFor();
  assert.equal(await window.axe(), []);
  await notifyOf(stage, ada, 'First', 'Second');
  await window.page.reload();
  await window.page.getByText('Second').waitFor();
  assert.equal(await window.axe(), []);
  await window.goTo('/settings/notifications', 'Notification settings');
  await window.page.getByRole('group', { name: /A todo is due/ }).waitFor();
  assert.equal(await window.axe(), []);
});

test.promise('a notification leads to what it is about, and is read then', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { body: todo } = await stage.tandem.call(
    'POST /todos',
    { title: 'Water the plants' },
    { key: ada.session.token },
  );
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { todoId: todo.id });
  await window.goTo('/notifications', 'Notifications');
  await bell(window, 1).waitFor();
  await window.page.getByRole('link', { name: '“Water the plants” is due' }).click();
  await window.page.waitForURL(`**/todos/${todo.id}`);
  await bell(window, 'none').waitFor();
});

test.run();
