import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { onEntry } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: the board of todos');

const desk = { viewport: { width: 1280, height: 900 } };
const names = { ready: 'To do', in_progress: 'In progress', done: 'Done' };

/** A person with todos, the last one first in its column. */
async function withTodos(stage: Stage, todos: { title: string; status?: keyof typeof names }[]) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const ids: string[] = [];
  for (const { title, status } of todos) {
    const { id } = bodyOf(await call('POST /todos', { title }), 201);
    if (status) bodyOf(await call(`PATCH /todos/${id}`, { status }));
    ids.push(id);
  }
  const statusOf = async (place: number) => bodyOf(await call(`GET /todos/${ids[place]}`)).status;
  return { ada, call, ids, statusOf };
}

const columnOf = ({ page }: Window, status: keyof typeof names) =>
  page.getByRole('region', { name: new RegExp(`^${names[status]}( \\d+)?$`) });
const cardIn = (window: Window, status: keyof typeof names, name: string) =>
  columnOf(window, status).getByRole('link', { name });
const isOn = ({ page }: Window, name: string) => page.locator(`.board a:focus[aria-label^="${name}"]`).waitFor();

test.promise('the layout is in the address, and the keyboard walks the cards and moves one', async (stage) => {
  const { ada, statusOf } = await withTodos(stage, [
    { title: 'Second' },
    { title: 'First' },
    { title: 'Now', status: 'in_progress' },
    { title: 'Before', status: 'done' },
  ]);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('combobox', { name: 'Layout' }).selectOption('board');
  await cardIn(window, 'in_progress', 'Now').waitFor();
  await cardIn(window, 'done', 'Before').waitFor();
  assert.is(new URL(page.url()).search, '?layout=board');
  await page.getByRole('heading', { level: 2, name: 'To do 2' }).waitFor();
  assert.equal(await window.axe('all'), []);
  await cardIn(window, 'ready', 'First').focus();
  await page.keyboard.press('ArrowRight');
  await isOn(window, 'Now');
  await page.keyboard.press('ArrowLeft');
  await isOn(window, 'First');
  await page.keyboard.press('ArrowDown');
  await isOn(window, 'Second');
  await page.keyboard.press('m');
  await onEntry(window, 'In progress');
  assert.equal(await page.getByRole('menuitem').allTextContents(), ['In progress', 'Done']);
  await page.keyboard.press('Enter');
  await cardIn(window, 'in_progress', 'Second').waitFor();
  await isOn(window, 'Second');
  await page.getByText('“Second” is in “In progress” now.').waitFor();
  assert.is(await statusOf(0), 'in_progress');
  await isOn(window, 'Second');
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Undone.').waitFor();
  assert.is(await statusOf(0), 'ready');
  // A key that leads to the card that has the focus takes it from nothing else later.
  await cardIn(window, 'ready', 'First').press('Home');
  const search = page.getByRole('searchbox', { name: 'Search todos' });
  await search.fill('First');
  await cardIn(window, 'ready', 'Second').waitFor({ state: 'detached' });
  assert.is(await page.locator('input[type=search]:focus').count(), 1);
  await search.fill('');
  await cardIn(window, 'ready', 'Second').waitFor();
  await cardIn(window, 'ready', 'First').focus();
  await page.keyboard.press('Space');
  await page.getByRole('region', { name: 'Todo beside the list' }).getByText('First').first().waitFor();
  await isOn(window, 'First');
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Todo beside the list' }).waitFor({ state: 'detached' });
  await isOn(window, 'First');
  await page.getByRole('link', { name: /^Done \d/ }).click();
  await cardIn(window, 'ready', 'First').waitFor({ state: 'detached' });
  await cardIn(window, 'done', 'Before').press('Enter');
  await window.sees('Before');
});

test.promise(
  'a card is dragged to another column, and comes back with the sentence when it is refused',
  async (stage) => {
    const { ada, statusOf } = await withTodos(stage, [{ title: 'Second' }, { title: 'First' }]);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await goTo('/todos?layout=board', 'Todos');
    const drag = async (name: string) => {
      await cardIn(window, 'ready', name).hover();
      await page.mouse.down();
      // Browsers fire dragover with the second move at the earliest.
      for (const y of [60, 120]) await columnOf(window, 'done').hover({ position: { x: 60, y } });
      await page.mouse.up();
    };
    await drag('First');
    await page.getByText('“First” is in “Done” now.').waitFor();
    await cardIn(window, 'done', 'First').waitFor();
    assert.is(await statusOf(1), 'done');

    const asked = Promise.withResolvers<void>();
    const refuse = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/todos\//, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      asked.resolve();
      await refuse.promise;
      const message = 'The list is locked. Unlock it first.';
      const problem = { code: 'resource_conflict', status: 409, message, retryable: false, errors: [] };
      await route.fulfill({ status: 409, json: { object: 'error', ...problem } });
    });
    await drag('Second');
    await asked.promise;
    await cardIn(window, 'done', 'Second').waitFor();
    assert.is(await cardIn(window, 'ready', 'Second').count(), 0);
    refuse.resolve();
    await page.getByText('“Second” is not moved. The list is locked.').waitFor();
    await cardIn(window, 'ready', 'Second').waitFor();
    assert.is(await cardIn(window, 'done', 'Second').count(), 0);
    assert.is(await statusOf(0), 'ready');
  },
);

test.promise(
  'of a long column few cards are in the document, and its end is reached by its own pages',
  async (stage) => {
    const { ada, call } = await withTodos(stage, [{ title: 'Oldest' }]);
    for (let part = 0; part < 3; part++) {
      const data = Array.from({ length: 50 }, (_, place) => ({ title: `Todo ${part} ${place}` }));
      bodyOf(await call('POST /todos/batch', { data }));
    }
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await goTo('/todos?layout=board', 'Todos');
    const cards = columnOf(window, 'ready').getByRole('listitem');
    await cards.first().waitFor();
    assert.ok((await cards.count()) < 30, String(await cards.count()));
    // It is -1 until the column is counted.
    await until(async () => (await cards.first().getAttribute('aria-setsize')) === '151');
    await columnOf(window, 'ready').getByRole('link').first().focus();
    await until(async () => {
      await page.keyboard.press('End');
      return (await cardIn(window, 'ready', 'Oldest').count()) === 1;
    });
    await isOn(window, 'Oldest');
    assert.ok((await cards.count()) < 30, String(await cards.count()));
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the board can be used by everyone: ${name}`, async (stage) => {
    const { ada, call, ids } = await withTodos(stage, [
      { title: 'Water the plants' },
      { title: 'Write to everybody who answered the long question of last spring' },
      { title: 'Order desks', status: 'in_progress' },
    ]);
    bodyOf(await call(`PATCH /todos/${ids[0]}`, { priority: 'urgent', dueDate: '2026-01-05' }));
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/todos?layout=board', 'Todos');
    await cardIn(window, 'ready', 'Water the plants').waitFor();
    await columnOf(window, 'done').getByText('No todos').waitFor();
    await look(window, `board-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await look(window, `board-narrow-${name}`);
    const widths = 'document.querySelector(".board").clientWidth - document.querySelector(".board-column").offsetWidth';
    assert.ok(Math.abs(Number(await page.evaluate(widths))) <= 1, 'a column is as wide as the screen');
  });
}

test.run();
