import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { openChat } from '../support/chat-pages.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, password } from '../support/people.ts';
import { stored, untilStored } from '../support/stored-pages.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: reading without a connection', undefined, { AGENT_CONCURRENCY: '0' });

const options = { serviceWorkers: 'allow', expected: /net::ERR_|Cache\.add\(\) failed/ } as const;

test.promise(
  'a list that was read is shown offline after a reload, takes a new todo, and is read again online',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /todos', { title: 'Read in a tunnel' }), 201);
    bodyOf(await call('POST /captures', { type: 'note', content: 'A secret of a note' }), 201);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/captures', 'Captures');
    await page.getByText('A secret of a note').first().waitFor();
    await goTo('/todos', 'Todos');
    const grid = page.getByRole('grid', { name: 'Todos' });
    await grid.getByText('Read in a tunnel').waitFor();
    await until(() =>
      page.evaluate('performance.getEntriesByType("resource").some(({ name }) => /bulk-bar/.test(name))'),
    );
    await untilStored(window, 'Read in a tunnel');
    assert.not.match((await stored(window)).reads, 'A secret of a note');
    await page.context().setOffline(true);
    await page.reload();
    await grid.getByText('Read in a tunnel').waitFor();
    await page.getByText('You are offline.').waitFor();
    await page.getByRole('row', { name: /^Read in a tunnel/ }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Title').fill('Written in a tunnel');
    await page.getByRole('button', { name: 'Add todo' }).click();
    await grid.getByText('Written in a tunnel').waitFor();
    bodyOf(await call('POST /todos', { title: 'Made meanwhile' }), 201);
    await page.context().setOffline(false);
    await grid.getByText('Made meanwhile').waitFor();
    await until(async () => bodyOf(await call('GET /todos')).data.length === 3);
    await grid.getByText('Written in a tunnel').waitFor();
  },
);

test.promise('a chat that was read is shown offline after a reload, and goes on online', async (stage) => {
  const { window, page, agent } = await openChat(stage, options);
  await agent.finish('Nothing is due.');
  const messages = page.locator('.messages');
  await messages.getByText('Nothing is due.').waitFor();
  await page.getByText('Answered').waitFor();
  await untilStored(window, 'Nothing is due.');
  await untilStored(window, '"status":"completed"');
  await page.context().setOffline(true);
  await page.reload();
  await messages.getByText('What is due this week?').waitFor();
  await messages.getByText('Nothing is due.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await page.getByLabel('Message', { exact: true }).fill('And next week?');
  await page.keyboard.press('Enter');
  await page.locator('#content').getByText('At work').waitFor();
  await agent.finish('Nothing either.');
  await messages.getByText('Nothing either.').waitFor();
});

test.promise('of a chat a browser stores no quotation of captures, and nothing once it is erased', async (stage) => {
  const { window, page, path, agent, call } = await openChat(stage, options);
  const result = { type: 'tool_result', isError: false, truncated: false } as const;
  await agent.write('', [
    { ...result, toolCallId: 'c1', output: { text: 'A secret of a note' }, quotesCaptures: true },
    { ...result, toolCallId: 'c2', output: { text: 'A secret of an earlier release' } },
    { ...result, toolCallId: 'c3', output: { text: 'A todo' }, quotesCaptures: false },
  ]);
  await agent.finish('Nothing is due.');
  await page.locator('.messages').getByText('Nothing is due.').waitFor();
  await untilStored(window, 'Nothing is due.');
  const { reads } = await stored(window);
  assert.match(reads, 'A todo');
  assert.not.match(reads, 'A secret');
  await page.getByRole('link', { name: 'Todos', exact: true }).first().click();
  await window.sees('Todos');
  // What an earlier window has read.
  await page.reload();
  await window.sees('Todos');
  await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
  bodyOf(await call(`DELETE ${path}?permanent=true`), 200);
  await until(async () => !/Nothing is due|What is due/.test((await stored(window)).reads));
});

test.promise(
  'a file that a newer build has replaced is asked for a few times, and not again and again',
  async (stage) => {
    const ada = await stage.person();
    bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Before the update' }), 201);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo, sees } = window;
    const asked: string[] = [];
    await page.context().route('**/assets/usage-page-*', (route) => {
      asked.push(route.request().url());
      return route.fulfill({ status: 404 });
    });
    await goTo('/todos', 'Todos');
    await untilStored(window, 'Before the update');
    await page.getByRole('link', { name: /agent minutes left/ }).click();
    await sees('This page could not be loaded');
    // As many answers as would do for dozens of further requests.
    for (let round = 0; round < 50; round++) await page.evaluate(() => fetch('/livez').then((answer) => answer.text()));
    assert.ok(asked.length > 0 && asked.length <= 4, `${asked.length} requests`);
  },
);

test.promise('signing out and the end of the session leave nothing in the browser', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /todos', { title: 'Mine alone' }), 201);
  const window = await stage.window({ ...options, as: ada });
  const { page, goTo, sees } = window;
  const isWiped = async () => {
    const { caches, reads } = await stored(window);
    return caches.length === 0 && reads === '[]';
  };
  await goTo('/todos', 'Todos');
  await untilStored(window, 'Mine alone');
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await sees('Sign in');
  await until(isWiped);

  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await sees('Todos');
  await untilStored(window, 'Mine alone');
  await page.context().clearCookies();
  await page.reload();
  await sees('Sign in');
  await until(isWiped);
});

for (const { name, ...more } of looksOf(import.meta.url)) {
  test.promise(`a page that is opened offline is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person();
    bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Read before' }), 201);
    const window = await stage.window({ ...options, ...more, as: ada });
    await window.goTo('/todos', 'Todos');
    await untilStored(window, 'Read before');
    await window.page.context().setOffline(true);
    await window.page.reload();
    await window.page.getByRole('grid', { name: 'Todos' }).getByText('Read before').waitFor();
    await look(window, `offline-${name}`);
  });
}

test.promise('files that the pages still use are not deleted as old ones', async (stage) => {
  const { page, goTo } = await stage.window({ ...options, as: await stage.person() });
  await goTo('/todos', 'Todos');
  const stored = () =>
    page.evaluate<string[]>(`caches.open('tandem-pages').then(async (cache) =>
      (await cache.keys()).map(({ url }) => new URL(url).pathname))`);
  const start = await page.locator('script[src*="/assets/start-"]').getAttribute('src');
  await until(async () => (await stored()).includes(start ?? ''));
  // As many builds leave them, after what has not changed since.
  await page.evaluate(`caches.open('tandem-pages').then(async (cache) => {
    for (let place = 0; place < 400; place++) await cache.put('/assets/old-' + place + '.js', new Response(''));
  })`);
  const isOld = (path: string) => path.includes('/old-');
  await page.reload();
  await until(async () => (await stored()).filter(isOld).length <= 300);
  assert.ok((await stored()).includes(start ?? ''), (await stored()).filter((path) => !isOld(path)).join());
});

test.run();
