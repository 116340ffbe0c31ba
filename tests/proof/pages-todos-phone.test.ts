import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* The list of todos under a finger. With SCREENSHOTS set to a folder, with pictures of what is on the screen. */

const test = pageSuite('pages: the list of todos on a phone');
const folder = process.env.SCREENSHOTS;
const target = 44;
const controls = '.todo-list :is(button, select, a, input), .bulk-bar button, .bottom-bar :is(a, button)';

/** Where an element is, in pixels from the upper edge of the screen. */
async function edgesOf({ page }: Window, selector: string): Promise<{ top: number; bottom: number }> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} is not on the page`);
  return { top: box.y, bottom: box.y + box.height };
}

/** Controls that are smaller than a fingertip, half a pixel less for rounding. */
function tooSmall({ page }: Window): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(controls)})]
    .map((each) => ({ each, box: each.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && Math.min(box.width, box.height) < ${target} - 0.5)
    .map(({ each, box }) => each.outerHTML.slice(0, 120) + box.width + ' × ' + box.height)`);
}

for (const [width, height] of [
  [390, 844],
  [320, 640],
] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const name = `${colorScheme}-${width}`;
    test.promise(`taps select, and every bar leaves the others and the list visible: ${name}`, async (stage) => {
      const ada = await stage.person('Ada Lovelace');
      const data = Array.from({ length: 30 }, (_, place) => ({ title: `Water the plants of room ${30 - place}` }));
      const created = await stage.tandem.call('POST /todos/batch', { data }, { key: ada.session.token });
      assert.is(created.status, 200, created.text);
      const viewport = { width, height };
      const options = { viewport, colorScheme, hasTouch: true, isMobile: true, reducedMotion: 'reduce' as const };
      const window = await stage.window({ ...options, as: ada });
      const { page, goTo, axe } = window;
      const see = async (what: string) => {
        if (folder) {
          await mkdir(folder, { recursive: true });
          await page.screenshot({ path: join(folder, `todos-phone-${what}-${name}.png`) });
        }
        assert.equal(await axe('all'), [], what);
        assert.equal(await tooSmall(window), [], what);
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(tooWide) <= 0, `${what} is ${tooWide} px too wide`);
      };
      await goTo('/todos', 'Todos');
      const grid = page.getByRole('grid', { name: 'Todos' });
      await grid.getByText('room 1', { exact: false }).first().waitFor();
      await page.getByRole('button', { name: 'Select', exact: true }).tap();
      await grid.getByRole('link', { name: 'Water the plants of room 1', exact: true }).tap();
      await grid.getByRole('row').nth(1).getByRole('checkbox').tap();
      await page.getByText('2 selected').waitFor();
      await see('selected');
      const bar = await edgesOf(window, '.bulk-bar');
      const below = await edgesOf(window, '.bottom-bar');
      assert.ok(bar.bottom <= below.top && bar.bottom - bar.top <= 60, JSON.stringify({ bar, below }));
      assert.is(Math.round(below.bottom), height);
      const end = '[role=row][aria-rowindex="30"]';
      const scrollDown = async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        await page.locator(end).waitFor();
        await until(() => page.evaluate('scrollY + innerHeight >= document.documentElement.scrollHeight - 1'));
        return edgesOf(window, end);
      };
      const last = await scrollDown();
      await see('end');
      assert.ok(last.bottom <= bar.top, `the last row ends at ${last.bottom}, the bar begins at ${bar.top}`);
      await page.getByRole('button', { name: 'End selection' }).tap();
      await page.getByText('2 selected').waitFor({ state: 'detached' });
      const free = below.top - (await scrollDown()).bottom;
      assert.ok(free >= 0 && free <= target, `${free} px below the last row`);
      await page.locator(end).getByRole('link').tap();
      await window.sees('Water the plants of room 30');
    });
  }
}

test.promise('the list comes first, and the bar at the bottom opens the form for a new todo of it', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const { id: todoListId } = bodyOf(await call('POST /todo-lists', { name: 'Garden' }), 201);
  bodyOf(await call('POST /todos', { title: 'Water the beans', todoListId }), 201);
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const window = await stage.window({ ...options, as: ada });
  const { page, goTo } = window;
  await goTo(`/lists/${todoListId}`, 'Garden');
  const grid = page.getByRole('grid', { name: 'Todos' });
  await grid.getByText('Water the beans').waitFor();
  const row = await edgesOf(window, '[role=row][aria-rowindex="1"]');
  const bar = await edgesOf(window, '.bottom-bar');
  assert.ok(row.bottom <= bar.top, `the first row ends at ${row.bottom}, the bar begins at ${bar.top}`);
  const title = page.getByRole('combobox', { name: 'Title' });
  assert.is(await title.isVisible(), false);
  await page.getByRole('link', { name: 'Add a todo' }).tap();
  await page.locator('input[name=title]:focus').waitFor();
  await title.fill('Pick the beans');
  await page.keyboard.press('Enter');
  await grid.getByText('Pick the beans').waitFor();
  const names = async () =>
    bodyOf(await call(`GET /todos?todoListId=${todoListId}`)).data.map((todo: { title: string }) => todo.title);
  await until(async () => (await names()).includes('Pick the beans'));
  await page.goBack();
  await title.waitFor({ state: 'hidden' });
});

/** Moves a finger over a row by so many pixels, in steps. */
async function swipe({ page }: Window, name: string, by: { x: number; y: number }): Promise<void> {
  const box = await page.getByRole('row', { name: new RegExp(`^${name}`) }).boundingBox();
  if (!box) throw new Error(`${name} is not on the page`);
  const cdp = await page.context().newCDPSession(page);
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
  for (let step = 1; step <= 8; step++) {
    const point = { x: from.x + (by.x * step) / 8, y: from.y + (by.y * step) / 8 };
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test.promise('a row is swiped to the right when it is done, and to the left for its due date', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  for (const title of ['Buy bread', 'Call the bank']) bodyOf(await call('POST /todos', { title }), 201);
  const viewport = { width: 390, height: 844 };
  const window = await stage.window({ viewport, hasTouch: true, isMobile: true, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  const rows = page.getByRole('grid', { name: 'Todos' }).getByRole('row');
  await rows.getByText('Buy bread').waitFor();
  const near = 40;
  const far = 120;
  // Not far enough, and up or down: nothing.
  await swipe(window, 'Buy bread', { x: near, y: 0 });
  await swipe(window, 'Buy bread', { x: far, y: -2 * far });
  await swipe(window, 'Call the bank', { x: far, y: 4 });
  await page.getByText('“Call the bank” is done.').waitFor();
  await rows.getByText('Call the bank').waitFor({ state: 'detached' });
  assert.is(await rows.count(), 1);
  assert.not.match((await rows.first().getAttribute('style')) ?? '', /translate:/);
  await swipe(window, 'Buy bread', { x: -far, y: 0 });
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await dialog.getByText('Tomorrow').click();
  await rows.getByText('tomorrow').waitFor();
  await page.getByRole('button', { name: 'Select', exact: true }).tap();
  await swipe(window, 'Buy bread', { x: far, y: 0 });
  assert.is(await rows.count(), 1);
  const { data } = bodyOf(await call('GET /todos?status=active'));
  assert.equal(
    data.map(({ title }: { title: string }) => title),
    ['Buy bread'],
  );
});

test.run();
