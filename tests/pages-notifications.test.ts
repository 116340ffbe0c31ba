import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from './browser.ts';
import { tell } from './notification-world.ts';
import type { Person } from './people.ts';

const test = pageSuite('pages: notifications');

/** Tells a person of these things in their own workspace, a minute apart. */
async function told({ tandem }: Stage, { session }: Person, ...titles: string[]): Promise<void> {
  for (const [place, title] of titles.entries()) {
    const clock = () => new Date(Date.now() - (titles.length - place) * 60_000);
    await tell(tandem.db, session.workspace.id, [session.user.id], { title, clock });
  }
}

const bell = ({ page }: Window, count: number | 'none') =>
  page.getByRole('link', { name: `Notifications: ${count} unread` });
const rows = ({ page }: Window) =>
  page.getByRole('list', { name: 'Notifications' }).locator('strong').allTextContents();

/** Waits until the list shows exactly these. */
async function shows(window: Window, ...titles: string[]): Promise<void> {
  const expected = JSON.stringify(titles);
  for (let tries = 0; tries < 200 && JSON.stringify(await rows(window)) !== expected; tries++) {
    await window.page.waitForTimeout(25);
  }
  assert.equal(await rows(window), titles);
}

test.promise('the bell counts what is unread and leads to it; one is marked as read, then all', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/settings/members', 'Members');
  await bell(window, 'none').waitFor();
  await told(stage, ada, 'First', 'Second', 'Third');
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
  await tell(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Came meanwhile' });
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('All are marked as read.').waitFor();
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
  await told(stage, ada, ...Array.from({ length: 30 }, (_, place) => `News ${place + 1}`));
  const window = await stage.window({ as: ada });
  await window.goTo('/notifications', 'Notifications');
  await window.page.getByText('News 30', { exact: true }).waitFor();
  assert.is((await rows(window)).length, 25);
  await window.page.getByRole('button', { name: 'Show older ones' }).click();
  await window.page.getByText('News 1', { exact: true }).waitFor();
  assert.is((await rows(window)).length, 30);
  assert.is(await window.page.getByRole('button', { name: 'Show older ones' }).count(), 0);
});

test.promise('what is switched off stays off, and is not told any more', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/settings/notifications', 'Notification settings');
  const due = page.getByRole('group', { name: /A todo is due/ });
  const [list, letter] = [
    due.getByRole('checkbox', { name: 'In Tandem' }),
    due.getByRole('checkbox', { name: 'By letter' }),
  ];
  assert.ok(await list.isChecked());
  await due.getByText('In Tandem').click();
  await page.getByText('Your choice is saved.').waitFor();
  await due.getByText('By letter').click();
  await page.reload();
  await due.waitFor();
  assert.equal([await list.isChecked(), await letter.isChecked()], [false, false]);
  assert.ok(
    await page
      .getByRole('group', { name: /An agent failed/ })
      .getByLabel('In Tandem')
      .isChecked(),
  );
  await page.getByText('This service sends no letters now').waitFor();
  const { userId, workspaceId } = { userId: ada.session.user.id, workspaceId: ada.session.workspace.id };
  assert.is((await tell(stage.tandem.db, workspaceId, [userId])).status, 'suppressed');
  await goTo('/notifications', 'Notifications');
  await page.getByText('Nothing happened yet').waitFor();
  const invited = page.getByRole('group', { name: /You are invited/ });
  await page.getByRole('link', { name: 'Choose what you are told of' }).click();
  await invited.waitFor();
  assert.is(await invited.getByRole('checkbox').count(), 1, 'the letter of an invitation always comes');
});

test.promise('a letter about another workspace leads there, also by way of the sign-in', async (stage) => {
  const ada = await stage.person();
  const key = ada.session.token;
  const { body: other } = await stage.tandem.call('POST /workspaces', { name: 'Analytical Engine' }, { key });
  await tell(stage.tandem.db, other.id, [ada.session.user.id], { title: 'Over there' });
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
  assert.is(await window.page.getByText('The letter was about').count(), 0);
});

test.promise('the list and the switches are accessible, with and without anything in them', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  await window.goTo('/notifications', 'Notifications');
  await window.page.getByText('Nothing happened yet').waitFor();
  assert.equal(await window.axe(), []);
  await told(stage, ada, 'First', 'Second');
  await window.page.reload();
  await window.page.getByText('Second').waitFor();
  assert.equal(await window.axe(), []);
  await window.goTo('/settings/notifications', 'Notification settings');
  await window.page.getByRole('group', { name: /A todo is due/ }).waitFor();
  assert.equal(await window.axe(), []);
});

test.run();
