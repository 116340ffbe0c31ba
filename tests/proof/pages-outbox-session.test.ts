import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { addTodo, grid, isReady, listWindow, onWrite, pill, refusal, rowOf } from '../support/outbox-pages.ts';
import { callsOf, joinedSession, type Person } from '../support/people.ts';
import { unsent } from '../support/stored-pages.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: unsent changes and the session of the browser');

const unavailable = refusal(503, 'The database cannot be reached.');

test.promise('signing out asks while changes wait, and leaves none of them in the browser', async (stage) => {
  const ada = await stage.person();
  const window = await listWindow(stage, ada);
  const { page, sees } = window;
  await onWrite(page, 'POST', (route) => route.fulfill(unavailable));
  await addTodo(page, 'Not sent yet');
  await pill(page, '1 change waits').waitFor();
  const signOut = async () => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await signOut();
  const dialog = page.getByRole('alertdialog', { name: 'Sign out and discard changes?' });
  await dialog.getByText('A change of a todo is not stored by the service yet.').waitFor();
  assert.equal(await window.axe('all'), []);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.match(await unsent(window), 'Not sent yet');
  await signOut();
  await dialog.getByRole('button', { name: 'Discard and sign out' }).click();
  await sees('Sign in');
  assert.is(await unsent(window), '[]');
});

test.promise('another person in the same browser sees and sends nothing of it; its own person does', async (stage) => {
  const [ada, bob] = [await stage.person(), await stage.person('Bob')];
  const window = await listWindow(stage, ada);
  const { page, goTo } = window;
  const context = page.context();
  const become = ({ session }: Person) =>
    context.addCookies([{ name: 'tandem_session', value: session.token, url: stage.tandem.url, httpOnly: true }]);
  const titles = async (of: Person) =>
    bodyOf(await callsOf(stage.tandem, of)('GET /todos')).data.map(({ title }: { title: string }) => title);
  await context.setOffline(true);
  await addTodo(page, 'Of Ada alone');
  await pill(page, 'Offline: 1 change waits').waitFor();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/todos')) sent.push(request.url());
  });
  // The session of the browser is another one when the window of Ada is online again.
  await become(bob);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Account: Bob' }).waitFor();
  await isReady(page);
  assert.equal([sent, await titles(bob), await titles(ada)], [[], [], []]);
  assert.is(await grid(page).getByText('Of Ada alone').count(), 0);
  await goTo('/changes', 'Unsent changes');
  await page.getByText('No unsent changes').waitFor();
  assert.not.match(String(await page.evaluate('document.body.textContent')), 'Of Ada alone');

  await become(ada);
  await goTo('/todos', 'Todos');
  await until(async () => (await titles(ada)).join() === 'Of Ada alone');
  await rowOf(page, 'Of Ada alone').waitFor();
  await until(async () => (await unsent(window)) === '[]');
  assert.equal(await titles(bob), []);
});

test.promise(
  'a change on its way when another person signs in is not stored as theirs, and waits for its own',
  async (stage) => {
    const [ada, bob] = [await stage.person(), await stage.person('Bob')];
    const window = await listWindow(stage, ada);
    const { page, goTo } = window;
    const become = ({ session }: Person) =>
      page
        .context()
        .addCookies([{ name: 'tandem_session', value: session.token, url: stage.tandem.url, httpOnly: true }]);
    const titles = async (of: Person) =>
      bodyOf(await callsOf(stage.tandem, of)('GET /todos')).data.map(({ title }: { title: string }) => title);
    // The session has been checked by then.
    const writes = await onWrite(page, 'POST', async (route) => {
      await become(bob);
      await route.continue();
    });
    await addTodo(page, 'Of Ada alone');
    await page.getByRole('button', { name: 'Account: Bob' }).waitFor();
    assert.equal([writes.count, await titles(bob), await titles(ada)], [1, [], []]);
    assert.is(await grid(page).getByText('Of Ada alone').count(), 0);
    await writes.end();
    await become(ada);
    await goTo('/todos', 'Todos');
    await until(async () => (await titles(ada)).join() === 'Of Ada alone');
    assert.equal(await titles(bob), []);
  },
);

test.promise('an open form of one person is not saved in the session of another', async (stage) => {
  const [ada, bob] = [await stage.person(), await stage.person('Bob')];
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/lists', 'Lists');
  const form = page.getByRole('form', { name: 'New list' });
  await form.getByLabel('Name').fill('Of Ada alone');
  await page
    .context()
    .addCookies([{ name: 'tandem_session', value: bob.session.token, url: stage.tandem.url, httpOnly: true }]);
  await form.getByRole('button', { name: 'Create list' }).click();
  await page.getByRole('button', { name: 'Account: Bob' }).waitFor();
  const names = async (of: Person) =>
    bodyOf(await callsOf(stage.tandem, of)('GET /todo-lists')).data.map(({ name }: { name: string }) => name);
  for (const person of [ada, bob]) assert.not.ok((await names(person)).includes('Of Ada alone'));
});

test.promise(
  'the next person of a window finds nothing that was typed in it, or read for the one before',
  async (stage) => {
    const [ada, bob] = [await stage.person(), await stage.person('Bob')];
    const home = ada.session.workspace.id;
    await notifyPeople(stage.tandem.db, home, [ada.session.user.id], { title: 'For Ada alone' });
    const token = await joinedSession(stage.tandem, bob, home);
    const { page, goTo, sees } = await stage.window({ as: ada });
    await goTo('/todos', 'Todos');
    await page.getByLabel('Title').fill('A line of Ada');
    await page.getByRole('link', { name: 'Inbox none need you' }).click();
    await page.getByText('For Ada alone').waitFor();
    await page.getByRole('navigation', { name: 'Work' }).getByRole('link', { name: 'Captures' }).click();
    await page.getByRole('link', { name: 'New note' }).click();
    await sees('New note');
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('A note of Ada');
    await page.context().addCookies([{ name: 'tandem_session', value: token, url: stage.tandem.url, httpOnly: true }]);
    const read = Promise.withResolvers<void>();
    await page.route(/notifications\.list/, async (route) => {
      await read.promise;
      await route.continue().catch(() => {});
    });
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByRole('button', { name: 'Account: Bob' }).waitFor();
    assert.is(await note.inputValue(), '');
    await page
      .getByRole('navigation', { name: 'Work' })
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click();
    await sees('Inbox');
    assert.is(await page.getByText('For Ada alone').count(), 0);
    const typed = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    await until(async () => !(await typed()).includes('of Ada'));
    read.resolve();
    await goTo('/todos', 'Todos');
    assert.is(await page.getByLabel('Title').inputValue(), '');
  },
);

test.promise(
  'what was changed offline in many todos is kept for those that were not erased meanwhile',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Erased']) ids.push(bodyOf(await call('POST /todos', { title }), 201).id);
    const { page } = await listWindow(stage, ada);
    await rowOf(page, 'First').waitFor();
    await rowOf(page, 'First').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Priority of the selected todos' }).click();
    const urgent = page.getByRole('menuitem', { name: 'Urgent' });
    // The code of the menu may be loaded by the press.
    await urgent.waitFor();
    await page.context().setOffline(true);
    await urgent.click();
    await pill(page, /wait/).waitFor();
    bodyOf(await call(`DELETE /todos/${ids[2]}?permanent=true`));
    await page.context().setOffline(false);
    const stored = async () =>
      bodyOf(await call('GET /todos')).data.map(
        ({ title, priority }: Record<string, string>) => `${title} ${priority}`,
      );
    await until(async () => (await stored()).join() === 'Second urgent,First urgent');
    await rowOf(page, 'Erased').waitFor({ state: 'detached' });
  },
);

test.promise('an unsent change can be discarded by the keyboard, and the rest goes on', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const window = await listWindow(stage, ada);
  const { page, sees } = window;
  const writes = await onWrite(page, 'POST', (route) => route.fulfill(unavailable));
  for (const title of ['Kept', 'Dropped']) await addTodo(page, title);
  await pill(page, '2 changes wait').press('Enter');
  await sees('Unsent changes');
  await page.getByRole('button', { name: 'Discard: Create Dropped' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).press('Enter');
  await page.getByRole('button', { name: 'Discard: Create Dropped' }).waitFor({ state: 'detached' });
  await writes.end();
  await page.getByText('No unsent changes').waitFor();
  assert.equal(
    bodyOf(await call('GET /todos')).data.map(({ title }: { title: string }) => title),
    ['Kept'],
  );
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the page of unsent changes can be used by everyone: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await listWindow(stage, ada, options);
    const { page, sees } = window;
    // On a phone a button opens the form.
    if (name.endsWith('phone')) await page.getByRole('link', { name: 'Add a todo' }).click();
    await page.context().setOffline(true);
    await addTodo(page, 'Write to everybody who answered the long question of last spring !high');
    await addTodo(page, 'Water the plants');
    await pill(page, 'Offline: 2 changes wait').waitFor();
    await look(window, `unsent-pill-${name}`);
    await page.context().setOffline(false);
    await onWrite(page, 'POST', (route) => route.fulfill(refusal(400, 'This title is not allowed.')));
    await addTodo(page, 'Refused');
    await pill(page, /need/).click();
    await sees('Unsent changes');
    await page.getByText('This title is not allowed.').first().waitFor();
    await look(window, `changes-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await look(window, `changes-narrow-${name}`);
    assert.equal(await window.axe('all'), []);
  });
}

test.run();
