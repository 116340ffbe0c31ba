import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { hasLoaded } from '../support/outbox-pages.ts';
import { askedForRows, watchFirstRow } from '../support/page-cost.ts';
import { until } from '../support/until.ts';

/*
 * How a window begins: what it asks for, its colours before any script, and code that cannot be loaded, and the
 * sidebar.
 */

const test = pageSuite('pages: how a window begins');

test.promise('a list with todos needs six requests at most, and reads everything in one of them', async (stage) => {
  const ada = await stage.person();
  const created = await stage.tandem.call('POST /todos', { title: 'Call the bank' }, { key: ada.session.token });
  assert.is(created.status, 201, created.text);
  const { page, goTo } = await stage.window({ as: ada });
  // As on a slow device: the page is shown long after its data came.
  const code = Promise.withResolvers<void>();
  await page.route(/\/todos-[^/]+\.js$/, async (route) => {
    await code.promise;
    await route.fallback();
  });
  const answered = page.waitForResponse((response) => response.url().includes('/trpc/'));
  void answered.then(() => setTimeout(6_000)).then(code.resolve);
  await page.addInitScript(watchFirstRow);
  const opened = page.waitForResponse((response) => new URL(response.url()).pathname === '/todos');
  await goTo('/todos', 'Todos');
  await page.getByRole('grid', { name: 'Todos' }).getByText('Call the bank').waitFor();
  await page.getByRole('combobox', { name: 'Title' }).waitFor();
  await page.getByRole('list', { name: 'Lists' }).getByRole('link', { name: 'Inbox' }).waitFor();
  const asked = ['/todos', ...(await askedForRows(page))];
  const reads = asked.filter((path) => path.startsWith('/trpc/'));
  assert.is(reads.length, 1, asked.join('\n'));
  for (const name of ['meta.identity', 'todos.list', 'todos.summary', 'todoLists.list', 'notifications.list']) {
    assert.ok(reads[0]?.includes(name), `${name} in ${reads[0]}`);
  }
  const document = await (await opened).text();
  const scripts = asked.filter((path) => path.endsWith('.js'));
  assert.is(scripts.length, 3, asked.join('\n'));
  for (const path of scripts) assert.ok(document.includes(path), `the document names ${path}`);
  assert.ok(asked.length <= 6, asked.join('\n'));
});

test.promise('code that comes late is waited for with the icon, and without a request for it', async (stage) => {
  const { page } = await stage.window();
  const code = Promise.withResolvers<void>();
  await page.route(/\/assets\/[^/]+\.js$/, async (route) => {
    await code.promise;
    await route.fallback();
  });
  await page.goto('/', { waitUntil: 'commit' });
  await until(() => page.evaluate(`document.querySelector('#app > img')?.naturalWidth > 0`));
  code.resolve();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.is(await page.locator('#app > img').count(), 0);
});

test.promise('data that comes later than the code is read once too', async (stage) => {
  const ada = await stage.person();
  const created = await stage.tandem.call('POST /todos', { title: 'Call the bank' }, { key: ada.session.token });
  assert.is(created.status, 201, created.text);
  const { page } = await stage.window({ as: ada });
  await page.addInitScript(watchFirstRow);
  const code = page.waitForResponse((response) => /\/assets\/todos-/.test(response.url()));
  await page.route('**/trpc/**', async (route) => {
    // By then the code waits for the data.
    await (await code).finished();
    await setTimeout(1_500);
    await route.fallback();
  });
  await page.goto('/todos');
  await page.getByRole('grid', { name: 'Todos' }).getByText('Call the bank').waitFor();
  const reads = (await askedForRows(page)).filter((path) => path.startsWith('/trpc/'));
  assert.is(reads.length, 1, reads.join('\n'));
});

test.promise(
  'a page that is opened again is read before its code is run, once, and by nobody after a sign-out',
  async (stage) => {
    const ada = await stage.person();
    const { call } = stage.tandem;
    const key = ada.session.token;
    assert.is((await call('POST /todos', { title: 'Call the bank' }, { key })).status, 201);
    const { page, goTo, sees } = await stage.window({ as: ada });
    const grid = page.getByRole('grid', { name: 'Todos' });
    await goTo('/todos', 'Todos');
    await grid.getByText('Call the bank').waitFor();
    assert.is((await call('POST /todos', { title: 'Water the plants' }, { key })).status, 201);
    await page.addInitScript(watchFirstRow);
    // The code of the page comes after its data.
    const answered = page.waitForResponse((response) => response.url().includes('/trpc/'));
    await page.route(/\/(shell|todos)-[^/]+\.js$/, async (route) => {
      await answered;
      await route.fallback();
    });
    await page.goto('/todos');
    await grid.getByText('Water the plants').waitFor();
    const reads = (await askedForRows(page)).filter((path) => path.startsWith('/trpc/'));
    assert.is(reads.length, 1, reads.join('\n'));
    await page.unrouteAll();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('sign out');
    await page.keyboard.press('Enter');
    await sees('Sign in');
    assert.is(await page.evaluate('localStorage.getItem("tandem.firstReads")'), null);
    // What is read for a link is not kept: its token would be.
    await page.goto('/join#token=a-token-of-an-invitation');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.evaluate('localStorage.getItem("tandem.firstReads")'), null);
  },
);

test.promise('a first read that fails beside the others is repeated by the page', async (stage) => {
  const ada = await stage.person();
  const created = await stage.tandem.call('POST /todos', { title: 'Call the bank' }, { key: ada.session.token });
  assert.is(created.status, 201, created.text);
  const { page } = await stage.window({ as: ada });
  const asked: string[] = [];
  await page.route('**/trpc/**', async (route) => {
    const [, names = ''] = /\/trpc\/([^?]+)/.exec(route.request().url()) ?? [];
    const place = names.split(',').indexOf('todos.list');
    if (place >= 0) asked.push(names);
    if (place < 0 || asked.length > 1) return route.fallback();
    const response = await route.fetch();
    const answers = (await response.json()) as unknown[];
    const data = { code: 'SERVICE_UNAVAILABLE', httpStatus: 503, path: 'todos.list' };
    answers[place] = { error: { message: 'The database is away.', code: -32603, data } };
    await route.fulfill({ response, json: answers });
  });
  await page.goto('/todos');
  await page.getByRole('grid', { name: 'Todos' }).getByText('Call the bank').waitFor();
  assert.match(asked[0] ?? '', /meta\.identity/);
  assert.is.not(asked.length, 1);
});

test.promise('the chosen colours are there without any script, and a forced theme is kept', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada, colorScheme: 'light' });
  await goTo('/settings/appearance', 'Appearance');
  const background = 'getComputedStyle(document.body).backgroundColor';
  const light = await page.evaluate(background);
  await page.getByRole('radio', { name: 'Dark' }).focus();
  await page.keyboard.press('Space');
  await until(async () => (await page.evaluate(background)) !== light);
  const dark = await page.evaluate(background);
  const cookies = await page.context().cookies();
  const plain = await stage.window({ colorScheme: 'light', javaScriptEnabled: false });
  await plain.page.context().addCookies(cookies.filter(({ name }) => name === 'tandem_appearance'));
  await plain.page.goto('/todos');
  assert.is(await plain.page.evaluate(background), dark);
  await page.getByRole('radio', { name: 'As the system' }).focus();
  await page.keyboard.press('Space');
  await until(async () => (await page.evaluate(background)) === light);
});

test.promise(
  'code that cannot be loaded says so, leaves the rest usable, and is loaded again on demand',
  async (stage) => {
    const { page, goTo, sees } = await stage.window({ as: await stage.person(), expected: /Failed to load resource/ });
    await page.addInitScript('window.requestIdleCallback = () => 0');
    await goTo('/todos', 'Todos');
    await page.route('**/assets/captures-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Captures' }).click();
    await sees('This page could not be loaded');
    await page.getByRole('link', { name: 'Notifications' }).click();
    await sees('Notifications');
    await page.getByRole('link', { name: 'Captures' }).click();
    await sees('This page could not be loaded');
    await page.unroute('**/assets/captures-page-*.js');
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await sees('Captures');
  },
);

test.promise('a dialog or menu whose code cannot be loaded leaves the page and what is typed in it', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada, expected: /Failed to load resource|Failed to fetch/ });
  await page.addInitScript('window.requestIdleCallback = () => 0');
  await goTo('/todos', 'Todos');
  const title = page.getByRole('combobox', { name: 'Title' });
  await title.fill('Water the ferns');
  const code = /\/assets\/(palette|menu-popover)-[^/]+\.js/;
  await page.route(code, (route) => route.abort());
  const notice = page.getByRole('status').getByText('The connection was lost, or the service has been updated');
  for (const [button, role] of [
    ['Find a command', 'dialog'],
    ['More', 'menu'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await notice.waitFor();
    assert.is(await page.getByRole(role).count(), 0);
    assert.is(await title.inputValue(), 'Water the ferns');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  }
  await page.unroute(code);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menu').waitFor();
});

test.promise('what is typed into a field while a menu is being loaded is there', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await page.addInitScript('window.requestIdleCallback = () => 0');
  const asked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  await page.route('**/assets/menu-popover-*', async (route) => {
    asked.resolve();
    await free.promise;
    await route.continue().catch(() => {});
  });
  await goTo('/todos', 'Todos');
  const menu = page.getByRole('button', { name: 'More', exact: true });
  const search = page.getByRole('searchbox', { name: 'Search todos' });
  await menu.click();
  await asked.promise;
  await search.focus();
  await page.keyboard.type('call');
  assert.is(await search.inputValue(), 'call');
  await search.click();
  await page.keyboard.type(' bank');
  assert.is(await search.inputValue(), 'call bank');
  free.resolve();
  await page.locator('[aria-haspopup=menu][aria-expanded=true]').waitFor({ state: 'detached' });
  await menu.click();
  await page.getByRole('menu').waitFor();
});

test.promise('todos stay selected where the code of what changes them cannot be loaded', async (stage) => {
  const ada = await stage.person();
  await stage.tandem.call('POST /todos', { title: 'Call the bank' }, { key: ada.session.token });
  const { page, goTo, axe } = await stage.window({ as: ada, expected: /Failed to load resource|Failed to fetch/ });
  await page.route(/\/assets\/bulk-bar-[^/]+\.js/, (route) => route.abort());
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Call the bank/ }).focus();
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Selected todos' }).getByText('could not be loaded').waitFor();
  assert.is(await page.getByRole('row', { selected: true }).count(), 1);
  assert.equal(await axe('all'), []);
  await page.keyboard.press('#');
  await page.getByText('“Call the bank” is archived.').waitFor();
});

test.promise('after an update of the service a window can still sign out, or says why not', async (stage) => {
  const ada = await stage.person();
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  const updated = (page: Page) =>
    page.route(/\/assets\/(background|guard|current-recording)-/, (route) => route.fulfill({ status: 404 }));

  const early = await stage.window({ as: ada, expected: /Failed to load resource|Failed to fetch/ });
  await early.page.addInitScript('window.requestIdleCallback = () => 0');
  await early.goTo('/todos', 'Todos');
  await updated(early.page);
  await signOut(early.page);
  await early.page.getByRole('status').getByText('the service has been updated').waitFor();

  const { page, goTo, sees } = await stage.window({ as: ada, expected: /Cache\.add\(\) failed/ });
  await goTo('/todos', 'Todos');
  for (const name of ['guard', 'current-recording']) await hasLoaded(page, name);
  await updated(page);
  await signOut(page);
  await sees('Sign in');
});

test.promise('the sidebar is accessible collapsed, in both themes', async (stage) => {
  const viewport = { width: 1280, height: 900 };
  const { page, goTo, axe } = await stage.window({ as: await stage.person(), viewport, reducedMotion: 'reduce' });
  await goTo('/todos', 'Todos');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.keyboard.press('[');
  await page.locator('.shell.collapsed').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.equal(await axe('all'), [], colorScheme);
  }
});

test.run();
