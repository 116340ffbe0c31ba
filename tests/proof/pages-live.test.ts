import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { openStreamPassage } from '../support/stream-passage.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: live updates');

/** What a browser logs when a stream is cut or cannot be opened. */
const expected = /net::ERR_/;
/** All rows of a list of these tests are in the document. */
const tall = { width: 1280, height: 2600 };
const isLive = (page: Page) => page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
const isPaused = (page: Page) => page.locator('.live-updates[data-state=paused]').waitFor({ state: 'attached' });
const todo = (page: Page, title: string) => page.getByRole('grid', { name: 'Todos' }).getByText(title, { exact: true });
const pill = (page: Page) => page.getByText('Live updates paused.');

/** The streams of events that the service has open. */
async function streamsOf({ tandem }: Stage): Promise<number> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  return Number(/^tandem_event_followers (\d+)$/m.exec(text)?.[1]);
}

/** A window of the list of todos that follows the events. */
async function liveWindow(stage: Stage, as: Person, options: Parameters<Stage['window']>[0] = {}): Promise<Window> {
  const window = await stage.window({ as, expected, ...options });
  await window.goTo('/todos', 'Todos');
  await isLive(window.page);
  return window;
}

/** Another window of the same browser. */
async function secondOf({ page }: Window): Promise<Page> {
  const second = await page.context().newPage();
  await second.goto('/todos');
  await isLive(second);
  return second;
}

/** From now on the page repeats nothing by the clock: what it still reads was not polled. */
const withoutPolling = 'window.setInterval = () => 0;';

test.promise(
  'what one person changes is shown to others without polling, and moves no row under the hand',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /todos', { title: 'There before' }), 201);
    const { page } = await stage.window({ as: ada });
    await page.addInitScript(withoutPolling);
    await page.goto('/todos');
    await isLive(page);
    const other = await liveWindow(stage, ada);
    await other.page.getByLabel('Title').fill('Written elsewhere');
    await other.page.getByRole('button', { name: 'Add todo' }).click();
    await todo(page, 'Written elsewhere').waitFor();
    await page.keyboard.press('j');
    const focused = page.locator('[role=row]:focus[aria-label^="Written elsewhere"]');
    await focused.waitFor();
    const before = await focused.boundingBox();
    const { data } = bodyOf(await call('GET /todos'));
    for (const { id } of data) bodyOf(await call(`PATCH /todos/${id}`, { status: 'done' }));
    for (const name of ['There before', 'Written elsewhere'])
      await page.getByRole('row', { name: new RegExp(`^${name}, .*no longer in this list$`) }).waitFor();
    assert.equal(await focused.boundingBox(), before, 'the list is empty now');
    bodyOf(await call('POST /todos', { title: 'Arrives' }), 201);
    await page.getByRole('button', { name: '1 todo is new: show it' }).waitFor();
    assert.equal(await focused.boundingBox(), before);
  },
);

test.promise(
  'two windows of a browser share a stream; when its window is closed or frozen the other goes on',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const first = await liveWindow(stage, ada, { viewport: tall });
    const second = await secondOf(first);
    const third = await secondOf(first);
    await until(async () => (await streamsOf(stage)) === 1);
    bodyOf(await call('POST /todos', { title: 'For all' }), 201);
    for (const page of [first.page, second, third]) await todo(page, 'For all').waitFor();
    const titles = Array.from({ length: 30 }, (_, place) => `While it closed ${place}`);
    const writing = (async () => {
      for (const title of titles) bodyOf(await call('POST /todos', { title }), 201);
    })();
    await todo(second, 'While it closed 3').waitFor();
    await first.page.close();
    await writing;
    for (const page of [second, third]) {
      for (const title of titles) await todo(page, title).waitFor({ state: 'attached' });
    }
    await until(async () => (await streamsOf(stage)) === 1);
    // The second window has waited for the lock before the third did, so it holds the stream now.
    const devtools = await second.context().newCDPSession(second);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    bodyOf(await call('POST /todos', { title: 'While it was frozen' }), 201);
    await todo(third, 'While it was frozen').waitFor();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await todo(second, 'While it was frozen').waitFor();
    await isLive(second);
    await until(async () => (await streamsOf(stage)) === 1);
  },
);

test.promise('a window whose stream stays silent is replaced; without Web Locks each has its own', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const first = await liveWindow(stage, ada);
  const second = await first.page.context().newPage();
  // It waits seconds for the other window, not half a minute, and polls nothing. Its reads keep the time that they
  // have.
  await second.addInitScript(`const start = window.setTimeout.bind(window);
    window.setTimeout = (work, ms = 0, ...more) => start(work, [5000, 20000, 30000].includes(ms) ? ms / 20 : ms, ...more);
    window.setInterval = () => 0;`);
  await second.goto('/todos');
  await isLive(second);
  await first.page.evaluate('window.post = BroadcastChannel.prototype.postMessage');
  await first.page.evaluate('BroadcastChannel.prototype.postMessage = () => {}');
  bodyOf(await call('POST /todos', { title: 'Unsaid' }), 201);
  await todo(second, 'Unsaid').waitFor();
  await first.page.evaluate('BroadcastChannel.prototype.postMessage = window.post');
  bodyOf(await call('POST /todos', { title: 'Shared again' }), 201);
  for (const page of [first.page, second]) await todo(page, 'Shared again').waitFor();

  // Their streams are not to be counted with those of the next windows.
  await first.page.context().close();
  await until(async () => (await streamsOf(stage)) === 0);
  const alone = await stage.window({ as: ada, expected });
  await alone.page.context().addInitScript('delete Navigator.prototype.locks');
  await alone.goTo('/todos', 'Todos');
  await isLive(alone.page);
  await until(async () => (await streamsOf(stage)) === 1);
  await secondOf(alone);
  await until(async () => (await streamsOf(stage)) === 2);
});

test.promise('a stream that is cut again and again loses nothing: the page equals the list', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const data = Array.from({ length: 20 }, (_, place) => ({ title: `Todo ${place}` }));
  const { data: made } = bodyOf(await call('POST /todos/batch', { data }));
  const ids: string[] = bodyOf(await call('GET /todos')).data.map(({ id }: { id: string }) => id);
  assert.is(made.length, ids.length);
  const passage = await openStreamPassage(stage.tandem.url);
  try {
    const options = { baseURL: passage.url, elsewhere: [passage.url], viewport: tall };
    const { page } = await liveWindow(stage, ada, options);
    for (let change = 0; change < 200; change++) {
      if (change % 20 === 10) {
        const { opened } = passage;
        passage.cut();
        if (change % 40 === 10) await until(() => passage.opened > opened);
      }
      const place = (change * 7) % ids.length;
      bodyOf(await call(`PATCH /todos/${ids[place]}`, { title: `Change ${change}` }));
    }
    const titles = async () =>
      bodyOf(await call('GET /todos'))
        .data.map(({ title }: { title: string }) => title)
        .join();
    const shown = async () =>
      (await page.getByRole('grid', { name: 'Todos' }).getByRole('link').allTextContents()).join();
    const last = await titles();
    await until(
      async () => (await shown()) === last,
      () => last,
    );
    assert.ok(passage.opened > 5, `${passage.opened} streams`);
    assert.ok(passage.streams <= 1);
  } finally {
    await passage.close();
  }
});

test.promise('with a stream nothing polls; without one the page says so, polls, and returns to it', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const window = await stage.window({ as: ada, expected });
  const { page } = window;
  // An interval of five seconds is one of fifty milliseconds.
  await page.addInitScript(
    'const start = window.setInterval.bind(window); window.setInterval = (work, ms) => start(work, ms / 100);',
  );
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('todos.list')) reads++;
  });
  await window.goTo('/todos', 'Todos');
  await isLive(page);
  bodyOf(await call('POST /todos', { title: 'Streamed' }), 201);
  await todo(page, 'Streamed').waitFor();
  await page.waitForLoadState('load');
  const pause =
    'new Promise((resolve) => { let left = 20; const timer = setInterval(() => --left || (clearInterval(timer), resolve()), 5000); })';
  let before = 0;
  // What the change has read may come in more than one read.
  await until(
    async () => {
      before = reads;
      await page.evaluate(pause);
      return reads === before;
    },
    () => `${reads - before} reads without a change`,
  );

  await page.route(/\/trpc\/events\.stream/, (route) => route.abort());
  await page.context().setOffline(true);
  await isPaused(page);
  await page.getByText('You are offline.').waitFor();
  assert.is(await pill(page).count(), 0);
  await page.context().setOffline(false);
  await pill(page).waitFor();
  bodyOf(await call('POST /todos', { title: 'Polled' }), 201);
  await todo(page, 'Polled').waitFor();
  const beforePoll = reads;
  await until(() => reads > beforePoll + 3);
  await page.unroute(/\/trpc\/events\.stream/);
  await isLive(page);
  await pill(page).waitFor({ state: 'detached' });
});

test.promise('signing out and another workspace end the stream in every window of the browser', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const first = await liveWindow(stage, ada);
  const second = await secondOf(first);
  await until(async () => (await streamsOf(stage)) === 1);
  const { id } = bodyOf(await call('POST /workspaces', { name: 'Second home' }), 201);
  const { page } = first;
  await page.getByRole('button', { name: /^Workspace: / }).click();
  await page.getByRole('menuitemradio', { name: 'Second home' }).click();
  for (const each of [page, second]) {
    await each.getByRole('button', { name: 'Workspace: Second home' }).waitFor();
    await isLive(each);
  }
  await until(async () => (await streamsOf(stage)) === 1);
  assert.ok(id);
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await first.sees('Sign in');
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  await until(async () => (await streamsOf(stage)) === 0);
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the line about paused updates is accessible and fits: ${name}`, async (stage) => {
    const window = await stage.window({ ...options, as: await stage.person(), expected });
    await window.page.route(/\/trpc\/events\.stream/, (route) => route.abort());
    await window.goTo('/todos', 'Todos');
    await pill(window.page).waitFor();
    await look(window, `live-paused-${name}`);
    await window.page.setViewportSize({ width: 320, height: 640 });
    await look(window, `live-paused-narrow-${name}`);
    assert.equal(await window.axe('all'), []);
  });
}

test.run();
