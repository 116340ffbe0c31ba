import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: a todo beside the list');

const desk = { viewport: { width: 1280, height: 900 } };

/** Creates todos, the last one first in the list, and returns their ids. */
async function add({ tandem }: Stage, ada: Person, titles: string[]): Promise<string[]> {
  const call = callsOf(tandem, ada);
  const ids: string[] = [];
  for (const title of titles) ids.push(bodyOf(await call('POST /todos', { title }), 201).id);
  return ids;
}

const panelOf = ({ page }: Window) => page.getByRole('region', { name: 'Todo beside the list' });
const seesInPanel = (window: Window, name: string) =>
  panelOf(window).getByRole('heading', { level: 2, name, exact: true }).waitFor();
const isOn = ({ page }: Window, name: string) => page.locator(`[role=row]:focus[aria-label^="${name}"]`).waitFor();
const peekIn = ({ page }: Window) => new URL(page.url()).searchParams.get('peek');

test.promise(
  'the keyboard opens a todo beside the list, goes on to others, and comes back to the row',
  async (stage) => {
    const ada = await stage.person();
    const [third, second, first] = await add(stage, ada, ['Third', 'Second', 'First']);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo, sees } = window;
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^First/ }).waitFor();
    const isLoaded = () =>
      page.evaluate('performance.getEntriesByType("resource").some(({ name }) => /assets\\/peek-/.test(name))');
    assert.is(await isLoaded(), false, 'its code is not loaded with the list');
    await page.keyboard.press('j');
    await isOn(window, 'First');
    await page.keyboard.press('Space');
    await seesInPanel(window, 'First');
    await isOn(window, 'First');
    assert.is(peekIn(window), first);
    await page.keyboard.press('j');
    await seesInPanel(window, 'Second');
    await isOn(window, 'Second');
    await page.keyboard.press('ArrowDown');
    await seesInPanel(window, 'Third');
    assert.is(peekIn(window), third);
    await page.keyboard.press('k');
    await seesInPanel(window, 'Second');
    assert.equal(await window.axe('all'), []);

    const priority = panelOf(window).getByLabel('Priority');
    await priority.selectOption('high');
    await page.getByRole('row', { name: /^Second, high priority/ }).waitFor();
    await panelOf(window).getByRole('button', { name: 'Mark as done' }).focus();
    await page.keyboard.press('Escape');
    await panelOf(window).waitFor({ state: 'detached' });
    await isOn(window, 'Second');
    assert.is(peekIn(window), null);
    await page.keyboard.press('Space');
    await seesInPanel(window, 'Second');
    await page.keyboard.press(']');
    await panelOf(window).waitFor({ state: 'detached' });
    await isOn(window, 'Second');

    await page.goto(`/todos?peek=${second}`);
    await seesInPanel(window, 'Second');
    await panelOf(window).getByRole('link', { name: 'Open as page' }).click();
    await sees('Second');
  },
);

test.promise(
  'keys that are pressed beside the list act on the todo there, also once it left the list',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const [second, first] = await add(stage, ada, ['Second', 'First']);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^Second/ }).focus();
    await page.keyboard.press('Space');
    await seesInPanel(window, 'Second');
    await panelOf(window).getByRole('button', { name: 'Mark as done' }).press('Enter');
    await page.getByRole('row', { name: /^Second/ }).waitFor({ state: 'detached' });
    await panelOf(window).getByRole('button', { name: 'Reopen' }).focus();
    await page.keyboard.press('#');
    await page.getByText('“Second” is archived.').waitFor();
    assert.is(bodyOf(await call(`GET /todos/${first}`)).isArchived, false);
    assert.is(bodyOf(await call(`GET /todos/${second}`)).isArchived, true);
  },
);

test.promise('keys and the palette act on what was gone to, and not on the first row of the list', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const [third, second, first] = await add(stage, ada, ['Third', 'Second', 'First']);
  const todo = async (id: string | undefined) => bodyOf(await call(`GET /todos/${id}`));
  const window = await stage.window({ ...desk, as: ada });
  const { page } = window;
  await page.goto(`/todos?peek=${third}`);
  await seesInPanel(window, 'Third');
  await page.getByRole('row', { name: /^Third/ }).waitFor();
  await panelOf(window).getByRole('button', { name: 'Mark as done' }).waitFor();
  await page.keyboard.press('e');
  await panelOf(window).getByRole('button', { name: 'Reopen' }).waitFor();
  await until(async () => (await todo(third)).status === 'done');

  // A row that the pointer ticks, and that leaves with the focus.
  await page.goto('/todos');
  await page.getByRole('checkbox', { name: 'Done: Second' }).click();
  await page.locator('h1').click();
  await page.getByRole('row', { name: /^Second/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('#');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await isOn(window, 'First');
  await page.keyboard.press('e');
  // Changes of one todo are stored in their order.
  await until(async () => (await todo(first)).status === 'done');
  for (const id of [first, second, third]) assert.is((await todo(id)).isArchived, false);
  assert.is(await page.getByRole('row', { selected: true }).count(), 0);
});

test.promise('a command of the palette acts on the todo that had the focus, beside selected ones', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const [second, first] = await add(stage, ada, ['Second', 'First']);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^First/ }).focus();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await seesInPanel(window, 'Second');
  await panelOf(window).getByRole('button', { name: 'Mark as done' }).focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Archive');
  await page.getByRole('group', { name: 'List', exact: true }).getByRole('option', { name: 'Archive' }).click();
  await page.getByText('“Second” is archived.').waitFor();
  assert.is(bodyOf(await call(`GET /todos/${first}`)).isArchived, false);
  assert.is(bodyOf(await call(`GET /todos/${second}`)).isArchived, true);
});

test.promise('going back closes it, a filter leaves it open, and what is typed in it is not lost', async (stage) => {
  const ada = await stage.person();
  const [, first] = await add(stage, ada, ['Second', 'First']);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^First/ }).focus();
  await page.keyboard.press('Space');
  await seesInPanel(window, 'First');
  await page.getByRole('button', { name: 'Priority: any' }).waitFor();
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('updatedAt');
  await until(() => new URL(page.url()).searchParams.get('sort') === 'updatedAt');
  assert.is(peekIn(window), first);
  await seesInPanel(window, 'First');
  await page.goBack();
  await seesInPanel(window, 'First');

  await panelOf(window).getByRole('button', { name: 'Edit' }).click();
  await panelOf(window).getByRole('textbox', { name: 'Text' }).fill('Half a sentence');
  await page.getByRole('row', { name: /^Second/ }).click({ position: { x: 200, y: 4 } });
  await seesInPanel(window, 'Second');
  await page.getByRole('row', { name: /^First/ }).click({ position: { x: 200, y: 4 } });
  await seesInPanel(window, 'First');
  assert.is(await panelOf(window).getByRole('textbox', { name: 'Text' }).inputValue(), 'Half a sentence');
  await page.goBack();
  await panelOf(window).waitFor({ state: 'detached' });
});

test.promise(
  'its width is changed and remembered, and in a narrow window it covers the list and gives the focus back',
  async (stage) => {
    const ada = await stage.person();
    const [id] = await add(stage, ada, ['First']);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await goTo(`/todos?peek=${id}`, 'Todos');
    await seesInPanel(window, 'First');
    const edge = page.getByRole('separator');
    const width = async () => (await panelOf(window).boundingBox())?.width;
    const before = await width();
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await width()) === Number(before) + 16);
    await page.keyboard.press('Home');
    await until(async () => (await width()) === 440);
    assert.is(await edge.getAttribute('aria-valuenow'), '440');
    const box = await edge.boundingBox();
    if (!box) throw new Error('no edge');
    await page.mouse.move(box.x + 12, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x - 88, box.y + 300);
    await page.mouse.up();
    await until(async () => Math.abs(Number(await width()) - 540) <= 1);
    const chosen = await width();
    await page.reload();
    await seesInPanel(window, 'First');
    assert.is(await width(), chosen);
    const row = await page.getByRole('row', { name: /^First/ }).boundingBox();
    const panel = await panelOf(window).boundingBox();
    assert.ok(row && panel && row.x + row.width <= panel.x, 'the list is beside it');

    await page.getByRole('button', { name: 'Close the todo beside the list' }).click();
    await isOn(window, 'First');
    await page.setViewportSize({ width: 700, height: 800 });
    await page.keyboard.press('Space');
    await page.locator('h2:focus', { hasText: 'First' }).waitFor();
    assert.not(await page.getByRole('grid', { name: 'Todos' }).isVisible());
    assert.equal(await window.axe('all'), []);
    await page.keyboard.press('Escape');
    await isOn(window, 'First');
  },
);

test.promise('groups have counts, are collapsed by a button, and stay so after a reload', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  for (const priority of ['high', 'low', 'low'])
    bodyOf(await call('POST /todos', { title: `It is ${priority}`, priority }), 201);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?sort=priority&group=priority', 'Todos');
  const low = page.getByRole('button', { name: 'Low 2' });
  await low.waitFor();
  assert.is(await page.getByRole('link', { name: 'It is low' }).count(), 2);
  await low.press('Enter');
  await page.getByRole('link', { name: 'It is low' }).first().waitFor({ state: 'detached' });
  await page.locator('button[aria-expanded=false]:focus', { hasText: 'Low' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'It is high' }).waitFor();
  assert.is(await page.getByRole('link', { name: 'It is low' }).count(), 0);
  await low.press('Enter');
  await page.getByRole('link', { name: 'It is low' }).first().waitFor();

  const many = Array.from({ length: 40 }, (_, place) => ({ title: `Urgent ${place}`, priority: 'urgent' }));
  bodyOf(await call('POST /todos/batch', { data: many }));
  await page.reload();
  await page.getByRole('button', { name: 'Urgent 40' }).waitFor();
  // Without the rows there is nothing to scroll.
  await page
    .getByRole('link', { name: /^Urgent / })
    .first()
    .waitFor();
  await page.mouse.wheel(0, 700);
  const heading = page.locator('.todo-heading.stuck');
  await until(async () => (await heading.boundingBox())?.y === 0);
  assert.match((await heading.textContent()) ?? '', 'Urgent');
});

test.promise('going back to a list, the keys go on from the row that was opened', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  for (const title of ['Fourth', 'Third', 'Second', 'First']) await call('POST /todos', { title });
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Third/ }).waitFor();
  for (const key of ['j', 'j', 'j', 'Enter']) await page.keyboard.press(key);
  await sees('Third');
  await page.goBack();
  await sees('Todos');
  await page.getByRole('row', { name: /^Third/ }).waitFor();
  await page.keyboard.press('j');
  await page.locator('[role=row]:focus[aria-label^="Third"]').waitFor();
  await page.locator('h1').click();
  await page.locator('[role=row]:focus').waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await page.locator('[role=row]:focus[aria-label^="Third"]').waitFor();
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a todo beside the list can be used by everyone: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const [id] = await add(stage, ada, ['Water the plants', 'Write to everybody who answered the long question']);
    const window = await stage.window({ ...options, as: ada });
    await window.page.goto(`/todos?peek=${id}`);
    await seesInPanel(window, 'Water the plants');
    await panelOf(window).getByRole('list', { name: 'Activity' }).waitFor();
    await look(window, `peek-${name}`);
    await window.page.setViewportSize({ width: 320, height: 640 });
    await look(window, `peek-narrow-${name}`);
  });
}

test.run();
